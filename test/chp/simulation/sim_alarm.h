#pragma once
// zmtp/pattern/alarm in virtual time.

#include "test/chp/simulation/sim_town.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace zmtp::simulation {

class sim_alarm {
public:
  sim_alarm(sim_town& in, simulated_host& host, std::function<void()> on_time)
      : town_{&in}, host_{&host}, on_time_{std::move(on_time)} {}

  void set(std::optional<event_queue::time_point> at) {
    if (!at || (armed_ && *armed_ <= *at)) {
      return;
    }
    armed_ = at;
    current_ = std::make_shared<bool>(true);
    (void)town_->net().after(*host_, *at - town_->now(), [this, current = std::weak_ptr{current_}] {
      if (!current.expired()) {
        cancel();
        on_time_();
      }
    });
  }
  void cancel() {
    armed_.reset();
    current_.reset();
  }

private:
  sim_town* town_;
  simulated_host* host_;
  std::function<void()> on_time_;
  std::optional<event_queue::time_point> armed_;
  std::shared_ptr<bool> current_;  // the armed event, unless it was armed again
};

}  // namespace zmtp::simulation
