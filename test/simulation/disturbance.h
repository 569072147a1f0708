#pragma once
// The common part of all schedules of faults: injects faults of random kinds at random times for a while.
// It also implements the faults that every network has.

#include "zmtp/simulation/event_queue.h"
#include "zmtp/simulation/simulated_network.h"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class disturbance {
public:
  using way = std::function<void()>;
  struct deaths {
    bool at_any_byte = false;  // and in the middle of a message
    bool half_open = false;    // an end may not learn of it
    // percentage of new connections that die at a byte chosen beforehand
    unsigned doomed = 0;
    std::size_t most_bytes = 0;
  };

  explicit disturbance(simulated_network& net) : net_{&net} {}

  // One more kind.
  void also(way one) { ways_.push_back(std::move(one)); }
  // Trouble every `pace` on average, if there is any kind.
  void start(event_queue::duration lasting, event_queue::duration pace);
  [[nodiscard]] std::size_t made() const noexcept { return made_; }

protected:
  // As kinds go, one.
  void also_kill_connections(const deaths& how);
  // Spares all connections that were doomed before.
  void stop();
  [[nodiscard]] simulated_network& net() const noexcept { return *net_; }
  [[nodiscard]] random_source& random() const noexcept { return net_->here().random; }

private:
  [[nodiscard]] bool over() const { return stopped_ || net_->now() >= until_; }
  void make_later();
  void doom(virtual_connection& s);
  void cut_one();
  [[nodiscard]] virtual_connection::learns_after some_time_to_learn();

  simulated_network* net_;
  std::vector<way> ways_;
  deaths deaths_;
  event_queue::time_point until_{};
  event_queue::duration pace_{};
  bool stopped_ = false;
  std::size_t made_ = 0;
};

}  // namespace zmtp::simulation
