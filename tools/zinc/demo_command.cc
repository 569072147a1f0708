// zinc demo: a broker in this process, four workers in their own processes, and clients, of both versions of
// MDP. The demonstration kills one worker. Every request must get the right answer at the first attempt.
// Then demo_pair kills a server of a map.

#include "mdp/broker.h"
#include "mdp/client.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/demo_pair.h"
#include "tools/zinc/launcher.h"
#include "tools/zinc/stop_signals.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::array versions{"0.1", "0.2"};
constexpr unsigned worker_count = 4;
constexpr int loops_per_client = 8;

// The clients of one version, and the results of their requests.
struct clients {
  clients(const asio::any_io_executor& executor, const std::string& broker, mdp::version v)
      // With one attempt, each answer shows that the broker lost nothing. No client sent a request again.
      : client{executor, broker, {.protocol = v, .timeout = 10s, .attempts = 1}} {}

  mdp::client client;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::uint64_t wrong = 0;
  std::uint64_t failed = 0;
};

class demo {
public:
  explicit demo(std::chrono::milliseconds duration)
      : duration_{duration}, broker_{context_.get_executor()} {}

  [[nodiscard]] int run() {
    const auto at = broker_.bind("tcp://127.0.0.1:*").to_string();
    fmt::print("broker at {}\n", at);
    for (unsigned i = 0; i < worker_count; ++i) {
      workers_.emplace_back(std::vector<std::string>{own_program, "worker", "--connect", at,
                                                     "--service", "echo", "--mdp",
                                                     versions[i % versions.size()], "--delay=1ms"});
      fmt::print("worker {} of MDP/{}, process {}\n", i + 1, versions[i % versions.size()],
                 workers_.back().id());
    }
    clients_.reserve(versions.size());
    asio::co_spawn(context_, show(at), zmtp::rethrow);
    // A demonstration that a signal stops has failed. Its workers end with it.
    const stop_signals signals{context_.get_executor(), [this] { context_.stop(); }};
    context_.run();
    workers_.clear();
    return verdict();
  }

private:
  asio::awaitable<void> show(std::string at) {
    asio::steady_timer timer{context_};
    const auto deadline = clock::now() + 15s;
    while (broker_.status().workers < worker_count && clock::now() < deadline) {
      timer.expires_after(20ms);
      co_await timer.async_wait(asio::use_awaitable);
    }
    if (broker_.status().workers == worker_count) {
      clients_.emplace_back(
          std::make_unique<clients>(context_.get_executor(), at, mdp::version::v01));
      clients_.emplace_back(
          std::make_unique<clients>(context_.get_executor(), at, mdp::version::v02));
      for (const auto& c : clients_) {
        for (int i = 0; i < loops_per_client; ++i) {
          ++loops_;
          asio::co_spawn(context_, ask(*c), zmtp::rethrow);
        }
      }
      co_await watch();
    }
    clients_ended_ = loops_ == 0;
    workers_at_end_ = broker_.status().workers;
    counters_ = broker_.status().counters;
    workers_.clear();
    context_.stop();
  }

  asio::awaitable<void> ask(clients& of) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    while (!closing_) {
      const auto text = fmt::format("request {}", ++of.asked);
      zmtp::message body{text};
      const auto [ec, reply] = co_await of.client.async_request("echo", std::move(body), token);
      if (ec) {
        ++of.failed;
      } else if (reply.size() != 1 || reply.front() != text) {
        ++of.wrong;
      } else {
        ++of.answered;
      }
    }
    --loops_;
  }

  asio::awaitable<void> watch() {
    fmt::print("\n{:>6}  {:>12}  {:>12}  {:>10}  {:>7}  {:>11}\n", "time", "0.1 answered",
               "0.2 answered", "per second", "workers", "redelivered");
    asio::steady_timer timer{context_};
    const auto start = clock::now();
    const auto end = start + duration_;
    const auto kill_at = start + (end - start) / 2;
    auto last_answered = std::uint64_t{0};
    auto next = start;
    while (clock::now() < end) {
      next = std::min(next + row_interval, end);
      if (!killed_ && next >= kill_at) {
        timer.expires_at(kill_at);
        co_await timer.async_wait(asio::use_awaitable);
        fmt::print("        killing worker 2 with a request in flight, process {}\n",
                   workers_[1].id());
        workers_[1].signal(SIGKILL);
        killed_ = true;
      }
      timer.expires_at(next);
      co_await timer.async_wait(asio::use_awaitable);
      row(std::chrono::duration<double>(clock::now() - start).count(), last_answered);
    }
    closing_ = true;
    const auto deadline = clock::now() + 15s;
    while (loops_ != 0 && clock::now() < deadline) {
      timer.expires_after(10ms);
      co_await timer.async_wait(asio::use_awaitable);
    }
  }

  void row(double seconds, std::uint64_t& last_answered) {
    const auto status = broker_.status();
    const auto answered = clients_[0]->answered + clients_[1]->answered;
    const auto interval = std::chrono::duration<double>(row_interval).count();
    fmt::print("{:>5.1f}s  {:>12}  {:>12}  {:>10.0f}  {:>7}  {:>11}\n", seconds,
               clients_[0]->answered, clients_[1]->answered,
               static_cast<double>(answered - last_answered) / interval, status.workers,
               status.counters.requeued);
    std::fflush(stdout);
    last_answered = answered;
  }

  [[nodiscard]] int verdict() const {
    clients_sum sum;
    for (const auto& c : clients_) {
      sum.asked += c->asked;
      sum.answered += c->answered;
      sum.wrong += c->wrong;
      sum.failed += c->failed;
    }
    const auto held = clients_ended_ && killed_ && sum.asked > 0 && sum.answered == sum.asked &&
                      counters_.replies == sum.asked && workers_at_end_ == worker_count - 1 &&
                      counters_.requeued != 0;
    fmt::print(
        "\n{}: {} requests, {} answered, {} wrong, {} without an answer; {} of {} workers left, "
        "{} requests of the killed worker redelivered\n",
        held ? "passed" : "FAILED", sum.asked, sum.answered, sum.wrong,
        sum.asked - sum.answered - sum.wrong, workers_at_end_, worker_count, counters_.requeued);
    return held ? exit_code::done : exit_code::failed;
  }

  struct clients_sum {
    std::uint64_t asked = 0;
    std::uint64_t answered = 0;
    std::uint64_t wrong = 0;
    std::uint64_t failed = 0;
  };

  std::chrono::milliseconds duration_;
  asio::io_context context_{1};
  mdp::broker broker_;
  std::vector<child_process> workers_;
  std::vector<std::unique_ptr<clients>> clients_;
  int loops_ = 0;
  bool closing_ = false;
  bool killed_ = false;
  bool clients_ended_ = false;
  std::size_t workers_at_end_ = 0;
  mdp::broker_counters counters_;
};

}  // namespace

int run_demo(const demo_arguments& arguments) {
  const auto code = demo{arguments.duration}.run();
  if (code != exit_code::done) {
    return code;
  }
  fmt::print("\n");
  return run_pair_demo(arguments.duration) ? exit_code::done : exit_code::failed;
}

}  // namespace zinc
