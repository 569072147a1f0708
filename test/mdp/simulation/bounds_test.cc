// Bounds on waiting times in virtual time: beside a flood, after a pause of the broker, after its restart. No other
// program's load counts here, so the bounds are hard. bench/majordomo and bench/bad_neighbours have figures of real
// time.
#include "mdp/client.h"
#include "test/mdp/simulation/broker_process.h"
#include "test/mdp/simulation/caller_process.h"
#include "test/mdp/simulation/flood_process.h"
#include "test/mdp/simulation/worker_process.h"
#include "test/support/long_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mdp::simulation {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using duration = event_queue::duration;

// Keeps `at_once` calls of one service in flight, and notes how long each took.
class steady_caller final : public process {
public:
  steady_caller(setting& in, const std::string& name, const trade& asks, std::size_t at_once)
      : process{in, name}, asks_{&asks}, at_once_{at_once} {}
  ~steady_caller() override { kill(false); }

  // Returns the times of the calls that were answered since the last call of this function.
  [[nodiscard]] std::vector<duration> taken() { return std::exchange(taken_, {}); }
  [[nodiscard]] std::size_t failed() const noexcept { return failed_; }

private:
  void begin() override {
    client_options options;
    options.timeout = 2'500ms;
    options.attempts = 100;
    options.idempotent = true;
    client_.emplace(executor(), endpoint_of("broker"), options, notes_of_attempts(here()));
    for (std::size_t i = 0; i != at_once_; ++i) {
      ask();
    }
  }
  void end() override { client_.reset(); }

  void ask() {
    const auto call = here().calls().begin_call(*asks_);
    const auto begun = here().now();
    client_->async_request(
        asks_->name, wrap_call(call, 100),
        [this, call, begun](boost::system::error_code ec, const zmtp::message& m) {
          if (ec) {
            ++failed_;
            here().calls().forget(call);
          } else {
            here().calls().on_reply(call, m);
            taken_.push_back(here().now() - begun);
          }
          ask();
        });
  }

  const trade* asks_;
  std::size_t at_once_;
  std::optional<client> client_;
  std::vector<duration> taken_;
  std::size_t failed_ = 0;
};

class bounds : public testing::TestWithParam<std::uint64_t> {
protected:
  static constexpr milliseconds longest_work{20};

  void start_broker(broker_options options = {}) {
    broker_.emplace(in_, "broker", std::move(options));
    broker_->start();
  }
  // All in one process, because each process costs time in each step of the simulation.
  void start_workers(std::size_t count, const trade& serves) {
    workers_.push_back(std::make_unique<worker_process>(
        in_, "workers" + std::to_string(workers_.size()),
        std::vector<std::string>(count, endpoint_of("broker")), serves, worker_options{},
        labour{.longest = longest_work}));
    workers_.back()->start();
  }
  void start_callers(std::size_t count, const trade& asks, std::size_t at_once) {
    for (std::size_t i = 0; i != count; ++i) {
      callers_.push_back(std::make_unique<steady_caller>(
          in_, "caller" + std::to_string(callers_.size()), asks, at_once));
      callers_.back()->start();
    }
  }
  void pass(duration time) { in_.run_for(time); }
  // How long it took until then.
  template <class Done>
  duration time_until(Done&& done) {
    const auto begin = in_.now();
    while (!done() && in_.now() - begin < 60s) {
      pass(1ms);
    }
    EXPECT_TRUE(done());
    return in_.now() - begin;
  }
  // Runs for this time. Returns the times of the calls that all callers had answered in it, sorted.
  std::vector<duration> taken_in(duration time) {
    for (const auto& one : callers_) {
      (void)one->taken();
    }
    pass(time);
    std::vector<duration> all;
    for (const auto& one : callers_) {
      const auto some = one->taken();
      fewest_ = std::min(fewest_, some.size());
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  static duration p99(const std::vector<duration>& sorted) {
    return sorted.empty() ? duration::max() : sorted[sorted.size() * 99 / 100];
  }
  void TearDown() override {
    for (const auto& one : callers_) {
      EXPECT_EQ(one->failed(), 0U) << one->name();
    }
    EXPECT_TRUE(in_.calls().findings().empty()) << in_.calls().findings().front().text;
  }

  setting in_{GetParam(), {}};
  const trade echo_{.name = "echo"};
  const trade other_{.name = "other"};
  std::optional<broker_process> broker_;
  std::vector<std::unique_ptr<worker_process>> workers_;
  std::vector<std::unique_ptr<steady_caller>> callers_;
  std::size_t fewest_ = static_cast<std::size_t>(-1);  // calls of one caller that taken_in has seen
};

INSTANTIATE_TEST_SUITE_P(seeds, bounds,
                         testing::Range<std::uint64_t>(1, 1 + zmtp::test::in_short_form(5)));

// One client sends everything that it has. Ten others have as much as their share of the workers, which is an
// eleventh, and wait as long as with one more client of their own kind.
TEST_P(bounds, a_flood_of_their_service_leaves_clients_their_share) {
  start_broker();
  start_workers(4, echo_);
  start_callers(10, echo_, 4);
  const auto quiet = taken_in(20s);
  flood_process flood{in_, "flood", *broker_, echo_, 20'000};
  flood.start();
  (void)time_until([&] { return broker_->status().waiting >= 500; });
  fewest_ = static_cast<std::size_t>(-1);
  const auto answered_before = broker_->status().counters.replies;
  const auto beside = taken_in(20s);
  // The flood has not ended, and its limit holds.
  const auto s = broker_->status();
  EXPECT_GE(s.waiting, 500U);
  EXPECT_LE(s.waiting + s.working, 1'000U + 10 * 4);
  EXPECT_GE(s.counters.pauses, 1U);
  const auto share = (s.counters.replies - answered_before) / 11;
  EXPECT_GE(fewest_ * 10, share * 9) << "of " << share;
  EXPECT_LE(p99(beside), p99(quiet) * 3 / 2);
  flood.leave();
}

// A flood of another service delays no call.
TEST_P(bounds, a_flood_of_another_service_delays_no_call) {
  start_broker();
  start_workers(4, echo_);
  start_callers(4, echo_, 1);
  const auto quiet = taken_in(20s);
  start_workers(1, other_);
  flood_process flood{in_, "flood", *broker_, other_, 20'000};
  flood.start();
  (void)time_until([&] { return broker_->status().waiting >= 500; });
  const auto beside = taken_in(20s);
  EXPECT_GE(broker_->status().waiting, 500U);
  EXPECT_LE(p99(beside), p99(quiet) + 2ms);
  EXPECT_LE(beside.back(), longest_work + 10ms);
  flood.leave();
}

// A broker is paused for longer than a worker may be silent. It expels no worker, and the backlog clears as fast as the
// workers allow.
TEST_P(bounds, a_backlog_clears) {
  start_broker();
  start_workers(20, echo_);
  start_workers(20, other_);  // idle
  constexpr std::size_t each = 10;
  start_callers(10, echo_, each);
  pass(5s);
  for (int i = 0; i != 3; ++i) {
    broker_->pause();
    pass(10s);
    for (const auto& one : callers_) {
      (void)one->taken();
    }
    broker_->resume();
    std::vector<std::size_t> answered(callers_.size());
    const auto cleared = time_until([&] {
      for (std::size_t c = 0; c != callers_.size(); ++c) {
        answered[c] += callers_[c]->taken().size();
      }
      return *std::min_element(answered.begin(), answered.end()) >= each;
    });
    EXPECT_LE(cleared, 500ms);
    pass(10s);
  }
  EXPECT_EQ(broker_->workers_expired(), 0U);
  EXPECT_EQ(broker_->status().workers, 40U);
}

// A broker is killed and started again. All workers and clients are back in a time that their options give.
TEST_P(bounds, workers_and_clients_are_back_after_a_restart) {
  start_broker();
  start_workers(8, echo_);
  start_callers(20, echo_, 1);
  pass(5s);
  for (int i = 0; i != 5; ++i) {
    broker_->kill(false);
    pass(in_.up_to(milliseconds{5'000}));
    broker_->start();
    EXPECT_LE(time_until([&] { return broker_->begun() && broker_->status().workers == 8; }), 3s);
    for (const auto& one : callers_) {
      (void)one->taken();
    }
    std::vector<bool> served(callers_.size());
    const auto back = time_until([&] {
      for (std::size_t c = 0; c != callers_.size(); ++c) {
        served[c] = served[c] || !callers_[c]->taken().empty();
      }
      return std::all_of(served.begin(), served.end(), [](bool one) { return one; });
    });
    EXPECT_LE(back, 3s);
    pass(5s);
  }
}

}  // namespace
}  // namespace mdp::simulation
