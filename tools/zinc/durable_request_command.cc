// zinc request --durable

#include "mdp/titanic/client.h"
#include "mdp/titanic/error.h"
#include "mdp/titanic/random_id.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/json_of.h"
#include "tools/zinc/outcome_code.h"
#include "tools/zinc/output.h"
#include "tools/zinc/progress.h"
#include "tools/zinc/request_parts.h"
#include "tools/zinc/run_requests.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/terminal_text.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
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

exit_code durable_code_of(const boost::system::error_code& ec) {
  using mdp::titanic::errc;
  if (ec.category() != mdp::titanic::titanic_category()) {
    return exit_code_of(ec);
  }
  switch (static_cast<errc>(ec.value())) {
    case errc::bad_request:
    case errc::unknown_id:
    case errc::not_stored: return exit_code::was_refused;
    case errc::pending: return exit_code::no_answer;
    case errc::request_failed: return exit_code::outcome_unknown;
    case errc::bad_reply: return exit_code::failed;
  }
  return exit_code::failed;
}

// Stores the requests with Titanic, waits for the replies and closes the requests.
class durable_requester {
public:
  durable_requester(asio::io_context& context, const request_arguments& arguments)
      : arguments_{arguments},
        total_{arguments.count.value_or(1)},
        body_{request_body(arguments)},
        client_{context.get_executor(), arguments.connect, options_of(arguments)},
        signals_{context.get_executor(), [this] { stop(); }} {
    running_ = std::min(arguments.in_flight, total_);
    for (std::size_t i = 0; i < running_; ++i) {
      asio::co_spawn(context, ask(), asio::detached);
    }
  }

  [[nodiscard]] int report() {
    progress_.clear();
    const auto failed = started_ - answered_;
    if (arguments_.leave) {
      // The ids are the output.
    } else if (arguments_.count && arguments_.json) {
      fmt::print("{{\"requests\":{},\"answered\":{},\"failed\":{}}}\n", started_, answered_,
                 failed);
    } else if (arguments_.count) {
      fmt::print("{} requests, {} answered, {} failed\n", started_, answered_, failed);
    }
    // An interrupt can end the command before all requests have ended.
    return answered_ != total_ && code_.get() == exit_code::done ? exit_code::failed : code_.get();
  }

private:
  asio::awaitable<void> ask() {
    while (started_ < total_ && !stopping_) {
      ++started_;
      try {
        if (arguments_.fetch.empty()) {
          co_await ask_one();
        } else {
          co_await take(arguments_.fetch, arguments_.wait);
        }
        ++answered_;
      } catch (const boost::system::system_error& e) {
        if (!stopping_) {
          fail(e.code().message(), durable_code_of(e.code()));
        }
      } catch (const std::system_error& e) {
        // Titanic keeps a reply whose request is not closed.
        fail(std::string{e.what()} + "; Titanic keeps the reply", exit_code::failed);
      }
      progress_.update(started_ - running_ + 1, started_ - running_ + 1 - answered_);
    }
    if (--running_ == 0) {
      stop();
    }
  }

  asio::awaitable<void> ask_one() {
    const auto id = co_await store();
    if (arguments_.leave) {
      // The ids of another Titanic can have any form.
      write_output((arguments_.json ? ascii_json(boost::json::object{{"id", json_of(id)}})
                                    : for_terminal(id)) +
                   '\n');
      co_return;
    }
    // After an interrupt, the user can ask for the reply with this id.
    if (!arguments_.count) {
      fmt::print(stderr, "zinc request: stored as {}\n", for_terminal(id));
    }
    co_await take(id, true);
  }

  asio::awaitable<void> take(std::string id, bool wait) {
    zmtp::message reply;
    if (wait) {
      reply = co_await client_.async_wait(id, asio::use_awaitable);
    } else {
      reply = co_await client_.async_reply(id, asio::use_awaitable);
    }
    if (!arguments_.count) {
      print_reply(reply, arguments_.json);
    }
    co_await client_.async_close(id, asio::use_awaitable);
  }

  void fail(const std::string& text, exit_code code) {
    code_.add(code);
    progress_.clear();
    fmt::print(stderr, "zinc request: {}\n", text);
  }

  asio::awaitable<std::string> store() {
    auto body = body_;
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
  const zmtp::message body_;
  mdp::titanic::client client_;
  stop_signals signals_;
  std::size_t started_ = 0;
  std::size_t answered_ = 0;
  std::size_t running_ = 0;
  bool stopping_ = false;
  common_code code_;
  // With --leave, a terminal shows the ids.
  progress progress_{total_, arguments_.count && !(arguments_.leave && stdout_is_terminal())};
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
