// zinc request

#include "mdp/client.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/outcome_code.h"
#include "tools/zinc/progress.h"
#include "tools/zinc/request_parts.h"
#include "tools/zinc/run_requests.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

std::string_view name_of(mdp::outcome known) noexcept {
  switch (known) {
    case mdp::outcome::answered: return "answered";
    case mdp::outcome::not_sent: return "not sent";
    case mdp::outcome::refused: return "not executed";
    case mdp::outcome::unknown: return "unknown";
  }
  return "unknown";
}

// Sends the requests, at most arguments.in_flight at once.
class requester {
public:
  requester(asio::io_context& context, const request_arguments& arguments)
      : arguments_{arguments},
        total_{arguments.count.value_or(1)},
        body_{request_body(arguments)},
        client_{context.get_executor(), arguments.connect, arguments.options},
        signals_{context.get_executor(), [this] { stop(); }} {
    latencies_.reserve(total_);
    running_ = std::min(arguments.in_flight, total_);
    for (std::size_t i = 0; i < running_; ++i) {
      asio::co_spawn(context, ask(), asio::detached);
    }
  }

  [[nodiscard]] int report() {
    progress_.clear();
    if (arguments_.count) {
      summary();
    }
    // An interrupt can end the command before all requests were sent.
    const bool interrupted = latencies_.size() != total_ && code_.get() == exit_code::done;
    return interrupted ? exit_code::failed : code_.get();
  }

private:
  asio::awaitable<void> ask() {
    const auto token = asio::as_tuple(asio::use_awaitable);
    while (started_ < total_ && !stopping_) {
      ++started_;
      const auto before = clock::now();
      auto on_partial = mdp::client::partial_handler{};
      if (!arguments_.count) {
        on_partial = [this](const zmtp::message& part) { print(part); };
      }
      auto [ec, reply] = co_await client_.async_request(arguments_.service, body_, {},
                                                        std::move(on_partial), token);
      if (stopping_) {
        ++failures_;
      } else if (ec) {
        ++failures_;
        code_.add(exit_code_of(ec));
        progress_.clear();
        fmt::print(stderr, "zinc request: {} (outcome: {})\n", ec.message(),
                   name_of(mdp::outcome_of(ec)));
      } else {
        latencies_.push_back(clock::now() - before);
        if (!arguments_.count) {
          print(reply);
        }
      }
      progress_.update(latencies_.size() + failures_, failures_);
    }
    if (--running_ == 0) {
      stop();
    }
  }

  void print(const zmtp::message& reply) {
    try {
      print_reply(reply, arguments_.json);
    } catch (const std::system_error& e) {
      fmt::print(stderr, "zinc request: {}\n", e.what());
      code_.add(exit_code::failed);
    }
  }

  void stop() {
    stopping_ = true;
    client_.stop();
    signals_.cancel();
  }

  void summary() {
    const auto seconds = std::chrono::duration<double>(clock::now() - started_at_).count();
    const auto microseconds = [this](double share) {
      if (latencies_.empty()) {
        return 0.0;
      }
      const auto index =
          static_cast<std::size_t>(share * static_cast<double>(latencies_.size() - 1));
      std::nth_element(latencies_.begin(), latencies_.begin() + static_cast<std::ptrdiff_t>(index),
                       latencies_.end());
      return std::chrono::duration<double, std::micro>(latencies_[index]).count();
    };
    const auto answered = latencies_.size();
    const auto rate = static_cast<double>(answered) / seconds;
    const auto p50 = microseconds(0.5);
    const auto p99 = microseconds(0.99);
    if (arguments_.json) {
      fmt::print("{}\n", boost::json::serialize(boost::json::object{{"requests", started_},
                                                                    {"answered", answered},
                                                                    {"failed", failures_},
                                                                    {"seconds", seconds},
                                                                    {"per_second", rate},
                                                                    {"p50_us", p50},
                                                                    {"p99_us", p99}}));
    } else {
      fmt::print(
          "{} requests, {} answered, {} failed in {:.3f} s: {:.0f}/s, p50 {:.0f} µs, p99 {:.0f} "
          "µs\n",
          started_, answered, failures_, seconds, rate, p50, p99);
    }
  }

  const request_arguments& arguments_;
  std::size_t total_;
  const zmtp::message body_;
  mdp::client client_;
  stop_signals signals_;
  clock::time_point started_at_ = clock::now();
  std::size_t started_ = 0;
  std::size_t running_ = 0;
  std::size_t failures_ = 0;
  bool stopping_ = false;
  common_code code_;
  progress progress_{total_, arguments_.count.has_value()};
  std::vector<clock::duration> latencies_;
};

}  // namespace

int run_request(const request_arguments& arguments) { return run_requests<requester>(arguments); }

}  // namespace zinc
