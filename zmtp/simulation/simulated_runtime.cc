#include "zmtp/simulation/simulated_runtime.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>

namespace zmtp::simulation {

namespace asio = boost::asio;
using boost::system::error_code;

class simulated_timer final : public timer_source, public timer_hook {
public:
  simulated_timer(simulated_runtime& of, asio::any_io_executor executor)
      : state_{of.state_}, rate_{of.rate_}, executor_{std::move(executor)} {
    of.timers_.push_back(*this);
  }
  ~simulated_timer() override { cancel(); }

  void expires_at(time_point at) override {
    cancel();
    at_ = at;
  }
  void wait(handler h) override {
    auto slot = asio::get_associated_cancellation_slot(h);
    const auto number = ++last_wait_;
    waits_.emplace_back(number, std::move(h));
    if (slot.is_connected()) {
      slot.assign([this, number](asio::cancellation_type) { cancel_one(number); });
    }
    if (!planned_) {
      planned_ = state_->events.at(rate_.reaches(at_), [this] { on_time(); });
    }
  }
  void cancel() override { end_all(asio::error::operation_aborted); }

  // Destroys the waits without completing them.
  void drop() noexcept {
    forget_plan();
    const auto dropped = std::exchange(waits_, {});
  }

private:
  void on_time() {
    planned_.reset();
    end_all({});
  }
  void end_all(error_code ec) {
    forget_plan();
    for (auto& [number, h] : std::exchange(waits_, {})) {
      complete(std::move(h), ec);
    }
  }
  void cancel_one(std::uint64_t number) {
    for (auto wait = waits_.begin(); wait != waits_.end(); ++wait) {
      if (wait->first == number) {
        auto h = std::move(wait->second);
        waits_.erase(wait);
        complete(std::move(h), asio::error::operation_aborted);
        return;
      }
    }
  }
  void forget_plan() noexcept {
    if (planned_) {
      state_->events.cancel(*std::exchange(planned_, std::nullopt));
    }
  }
  void complete(handler h, error_code ec) {
    asio::get_associated_cancellation_slot(h).clear();
    asio::post(executor_, [h = std::move(h), ec]() mutable { std::move(h)(ec); });
  }

  run_state* state_;
  clock_rate rate_;
  asio::any_io_executor executor_;
  time_point at_ = time_point::max();
  std::optional<event_queue::ticket> planned_;
  std::uint64_t last_wait_ = 0;
  std::list<std::pair<std::uint64_t, handler>> waits_;
};

runtime::wall_time simulated_runtime::wall_clock() const noexcept {
  using namespace std::chrono;
  constexpr auto begin = sys_days{year{2026} / 1 / 1};
  return begin + duration_cast<system_clock::duration>(now().time_since_epoch());
}

void simulated_runtime::random(std::span<std::byte> to) {
  for (auto& byte : to) {
    byte = static_cast<std::byte>(state_->random.pick(256));
  }
}

std::unique_ptr<timer_source> simulated_runtime::make_timer(const asio::any_io_executor& executor) {
  return std::make_unique<simulated_timer>(*this, executor);
}

void simulated_runtime::shutdown() noexcept {
  // A wait may own its timer, which then leaves the list.
  while (!timers_.empty()) {
    auto& timer = static_cast<simulated_timer&>(timers_.front());
    timers_.pop_front();
    timer.drop();
  }
}

}  // namespace zmtp::simulation
