#pragma once
// A witness of a simulated pair of the map: one record in the world, and what each server sees of it.

#include "chp/witness.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace chp::simulation {

class simulated_witness;

// The record, beside the servers. It must outlive the world's events.
class witness_record {
public:
  explicit witness_record(zmtp::simulation::world& in) noexcept : world_{&in} {}
  witness_record(const witness_record&) = delete;
  witness_record& operator=(const witness_record&) = delete;

  // Calls of one server, as it has just started.
  [[nodiscard]] std::shared_ptr<witness> seen_by(boost::asio::any_io_executor executor,
                                                 const bool& is_cut);
  [[nodiscard]] const membership& now() const noexcept { return now_; }
  // The remedy of docs/chp-log.md, after all members were lost.
  void reset();
  // A fault to plant in a test: every attempt is granted.
  void grant_all() noexcept { compares_ = false; }

private:
  friend class simulated_witness;
  void replace(const membership& from, const membership& to);
  void set(const membership& to);

  zmtp::simulation::world* world_;
  membership now_;
  bool compares_ = true;
  std::vector<std::weak_ptr<simulated_witness>> watchers_;
};

}  // namespace chp::simulation
