#pragma once
// A machine of a simulation. While it is paused nothing happens on it, though its kernel goes on.

#include "zmtp/simulation/event_queue.h"

#include <deque>
#include <utility>

namespace zmtp::simulation {

class simulated_host {
public:
  using action = event_queue::action;

  // Now, or in its order when the host goes on.
  void run(action act) {
    if (paused_ || !held_back_.empty()) {
      held_back_.push_back(std::move(act));
    } else {
      act();
    }
  }
  void pause() noexcept { paused_ = true; }
  void resume() {
    paused_ = false;
    while (!paused_ && !held_back_.empty()) {
      const auto act = std::move(held_back_.front());
      held_back_.pop_front();
      act();
    }
  }

private:
  bool paused_ = false;
  std::deque<action> held_back_;
};

}  // namespace zmtp::simulation
