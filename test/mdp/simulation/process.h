#pragma once
// A program of a simulation of Majordomo, in a process of its own that can be killed and restarted.

#include "test/mdp/simulation/setting.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace mdp::simulation {

// The destructor of each derived class must call kill(), because kill() calls end().
class process {
public:
  process(setting& in, const std::string& name) : in_{&in}, process_{&in.add(name)} {}
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  virtual ~process() = default;

  [[nodiscard]] const std::string& name() const noexcept { return process_->host(); }
  [[nodiscard]] zmtp::simulation::simulated_host& machine() noexcept { return process_->machine(); }
  [[nodiscard]] bool running() const noexcept { return process_->running(); }
  // The program has made its objects.
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  // The process was killed and does not start again.
  [[nodiscard]] bool retired() const noexcept { return retired_; }

  void start() {
    process_->start([this](const boost::asio::any_io_executor&) {
      begun_ = true;
      begin();
      return std::shared_ptr<void>{this, [](process* of) {
                                     of->begun_ = false;
                                     of->end();
                                   }};
    });
  }
  void kill(bool without_power) {
    if (begun_) {
      on_kill(without_power);
    }
    process_->kill(without_power ? zmtp::simulation::death::power
                                 : zmtp::simulation::death::process);
  }
  void retire(bool without_power) {
    kill(without_power);
    retired_ = true;
  }
  void pause() noexcept { process_->pause(); }
  void resume() noexcept { process_->resume(); }

protected:
  [[nodiscard]] setting& here() const noexcept { return *in_; }
  [[nodiscard]] boost::asio::any_io_executor executor() { return process_->executor(); }
  // Calls `act` in the process, unless it was killed before.
  void after(std::chrono::nanoseconds wait, std::function<void()> act) {
    const auto timer = std::make_shared<zmtp::timer>(executor());
    timer->expires_after(wait);
    timer->async_wait([timer, act = std::move(act)](boost::system::error_code) { act(); });
  }

private:
  // Makes the program's objects, and destroys them.
  virtual void begin() = 0;
  virtual void end() = 0;
  // Before it is killed, while it still has a network.
  virtual void on_kill(bool /*without_power*/) {}

  setting* in_;
  zmtp::simulation::process* process_;
  bool begun_ = false;
  bool retired_ = false;
};

}  // namespace mdp::simulation
