// zinc request --durable

#include "mdp/titanic/client.h"
#include "mdp/titanic/random_id.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/request_parts.h"
#include "tools/zinc/run_requests.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace zinc {

namespace {

namespace asio = boost::asio;

constexpr std::string_view new_id = "new";

mdp::titanic::client_options options_of(const request_arguments& arguments) {
  mdp::titanic::client_options options;
  options.protocol = arguments.options.protocol;
  options.timeout = arguments.options.timeout;
  options.socket = arguments.options.socket;
  options.attempts = arguments.options.attempts.value_or(options.attempts);
  return options;
}

// Stores the requests with Titanic, waits for the replies and closes the requests.
class durable_requester {
public:
  durable_requester(asio::io_context& context, const request_arguments& arguments)
      : arguments_{arguments},
        total_{arguments.count.value_or(1)},
        client_{context.get_executor(), arguments.connect, options_of(arguments)},
        signals_{context.get_executor(), [this] { stop(); }} {
    running_ = std::min(arguments.in_flight, total_);
    for (std::size_t i = 0; i < running_; ++i) {
      asio::co_spawn(context, ask(), asio::detached);
    }
  }

  [[nodiscard]] int report() const {
    const auto failed = started_ - answered_;
    if (arguments_.count && arguments_.json) {
      fmt::print("{{\"requests\":{},\"answered\":{},\"failed\":{}}}\n", started_, answered_,
                 failed);
    } else if (arguments_.count) {
      fmt::print("{} requests, {} answered, {} failed\n", started_, answered_, failed);
    }
    return answered_ == total_ ? exit_code::done : exit_code::failed;
  }

private:
  asio::awaitable<void> ask() {
    while (started_ < total_ && !stopping_) {
      ++started_;
      try {
        const auto id = co_await leave();
        // After an interrupt, the user can ask for the reply with this id.
        if (!arguments_.count) {
          fmt::print(stderr, "zinc request: stored as {}\n", id);
        }
        const auto reply = co_await client_.async_wait(id, asio::use_awaitable);
        if (!arguments_.count) {
          print_reply(reply, arguments_.json);
        }
        ++answered_;
        co_await client_.async_close(id, asio::use_awaitable);
      } catch (const boost::system::system_error& e) {
        if (!stopping_) {
          fmt::print(stderr, "zinc request: {}\n", e.code().message());
        }
      } catch (const std::system_error& e) {
        // Titanic keeps a reply whose request is not closed.
        fmt::print(stderr, "zinc request: {}; Titanic keeps the reply\n", e.what());
      }
    }
    if (--running_ == 0) {
      stop();
    }
  }

  asio::awaitable<std::string> leave() {
    auto body = request_body(arguments_);
    if (arguments_.id.empty()) {
      co_return co_await client_.async_request(arguments_.service, std::move(body),
                                               asio::use_awaitable);
    }
    const auto id = arguments_.id == new_id ? mdp::titanic::random_id(zmtp::runtime::system())
                                            : *mdp::titanic::request_id::parse(arguments_.id);
    co_await client_.async_submit(id, arguments_.service, std::move(body), asio::use_awaitable);
    co_return id.to_string();
  }

  void stop() {
    stopping_ = true;
    client_.stop();
    signals_.cancel();
  }

  const request_arguments& arguments_;
  std::size_t total_;
  mdp::titanic::client client_;
  stop_signals signals_;
  std::size_t started_ = 0;
  std::size_t answered_ = 0;
  std::size_t running_ = 0;
  bool stopping_ = false;
};

}  // namespace

int run_durable_request(const request_arguments& arguments) {
  if (arguments.count && !arguments.id.empty() && arguments.id != new_id) {
    fmt::print(stderr,
               "zinc request: --id {}: an id is for one request; give --id new with --count\n",
               arguments.id);
    return exit_code::misused;
  }
  return run_requests<durable_requester>(arguments);
}

}  // namespace zinc
