#pragma once
// The store operations in progress. Pure.

#include "mdp/titanic/request_database.h"
#include "mdp/titanic/titanic_actions.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace mdp::titanic {

struct service_record;

class store_tickets {
public:
  // The operation that a result belongs to.
  struct ticket {
    operation what;
    std::uint64_t number;
    std::uint64_t accepted;
    std::uint64_t caller;
    service_record* service;  // the service with a place taken until then; may be null
  };

  void operate(store_operation&& what, std::uint64_t caller, titanic_actions& out,
               service_record* service = nullptr) {
    what.ticket = ++last_;
    tickets_.emplace(what.ticket, ticket{what.what, what.number, what.accepted, caller, service});
    out.operations.push_back(std::move(what));
  }
  // Returns whether the store has completed all operations.
  [[nodiscard]] bool idle() const noexcept { return tickets_.empty(); }
  // Returns nothing if the operation is not known.
  [[nodiscard]] std::optional<ticket> take(const store_result& result) {
    const auto known = tickets_.find(result.ticket);
    if (known == tickets_.end()) {
      return std::nullopt;
    }
    const auto about = known->second;
    tickets_.erase(known);
    failed_ = failed_ || result.ec == zmtp::storage_errc::store_failed;
    if (result.ec == zmtp::storage_errc::read_failed) {
      readable_ = false;
    } else if (about.what == operation::read_request || about.what == operation::read_reply) {
      readable_ = true;
    }
    return about;
  }
  // Returns false after a read has failed, until another read succeeds.
  [[nodiscard]] bool readable() const noexcept { return readable_; }
  // Returns true if the store writes nothing any more.
  [[nodiscard]] bool failed() const noexcept { return failed_; }

private:
  boost::unordered_flat_map<std::uint64_t, ticket> tickets_;
  std::uint64_t last_ = 0;
  bool failed_ = false;
  bool readable_ = true;
};

}  // namespace mdp::titanic
