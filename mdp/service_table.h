#pragma once
// The services of the broker by name. A service exists while it has a worker or a waiting request.

#include "mdp/broker_records.h"
#include "mdp/pool.h"
#include "mdp/request_queue.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace mdp {

struct service {
  service(std::string_view n, pool<line>& lines) : name{n}, waiting{lines} {}

  std::string name;
  std::size_t workers = 0;  // alive, at work or not
  // Workers that can take a request. Those with empty hands come first, so that no request waits at
  // the side of another while somebody is idle.
  list_of<worker_record, &worker_record::ready> idle;     // the longest idle first
  list_of<worker_record, &worker_record::ready> at_work;  // below their capacity; they take turns
  request_queue waiting;                                  // empty while a worker can take one
  std::size_t octets = 0;                                 // of its unanswered requests
  list_of<client_record, &client_record::blocked> blocked;
  time_point unserved_since;  // while it has no worker
  std::size_t heap_place = not_in_heap;

  [[nodiscard]] bool has_room() const noexcept { return !idle.empty() || !at_work.empty(); }
};

class service_table {
public:
  // `lines` must outlive the table.
  explicit service_table(pool<line>& lines) noexcept : lines_{lines} {}

  // Null if there is none of this name.
  [[nodiscard]] service* find(std::string_view name) noexcept;
  // There must be none of this name; the new one has no worker.
  [[nodiscard]] service& create(std::string_view name, time_point now);
  void remove(service& s) noexcept;
  void add_worker(service& s) noexcept;
  void remove_worker(service& s, time_point now) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return by_name_.size(); }
  [[nodiscard]] std::size_t without_worker() const noexcept { return without_worker_; }

  template <class Visitor>
  void for_each(Visitor visit) const {
    for (const auto& [name, s] : by_name_) {
      visit(*s);
    }
  }

private:
  struct hash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>{}(name);
    }
  };

  pool<line>& lines_;
  pool<service> services_;
  boost::unordered_flat_map<std::string_view, service*, hash, std::equal_to<>> by_name_;
  std::size_t without_worker_ = 0;
};

}  // namespace mdp
