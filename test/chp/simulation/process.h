#pragma once
// A program on a machine of its own, which can be killed and started again.

#include "zmtp/simulation/simulated_host.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace zmtp::simulation {

// `Town` is what all of one simulation share: a sim_town.
template <class Town>
class process {
public:
  process(Town& in, std::string name)
      : town_{&in}, host_{&in.net().add_host()}, name_{std::move(name)} {}
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  virtual ~process() = default;

  [[nodiscard]] simulated_host& host() noexcept { return *host_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool running() const noexcept { return running_; }
  // Returns whether the process has ended for good.
  [[nodiscard]] bool retired() const noexcept { return retired_; }

  void start() {
    running_ = true;
    life_ = std::make_shared<bool>(true);
    begin();
  }
  void kill(bool without_power) {
    running_ = false;
    on_kill(without_power);
    life_.reset();
    here().end_process(*host_, without_power);
    end();
    // Planned events no longer find the program.
    host_->resume();
  }
  // Whether it runs or not.
  void retire(bool without_power) {
    retired_ = true;
    if (running_) {
      kill(without_power);
    }
  }

protected:
  virtual void begin() = 0;
  // Only the content of its disk is left.
  virtual void end() = 0;
  virtual void on_kill(bool /*without_power*/) {}

  [[nodiscard]] Town& here() const noexcept { return *town_; }
  // Calls `body` after this time if the process still runs then.
  template <class Body>
  void after(std::chrono::milliseconds wait, Body&& body) {
    (void)town_->net().after(
        *host_, wait, [life = std::weak_ptr{life_}, act = std::forward<Body>(body)]() mutable {
          if (!life.expired()) {
            act();
          }
        });
  }

private:
  Town* town_;
  simulated_host* host_;
  std::string name_;
  std::shared_ptr<bool> life_;  // while it runs
  bool running_ = false;
  bool retired_ = false;
};

}  // namespace zmtp::simulation
