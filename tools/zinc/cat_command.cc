// zinc cat

#include "tools/zinc/cat_command.h"

#include "tools/zinc/any_socket.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/message_source.h"
#include "tools/zinc/output.h"
#include "tools/zinc/stop_signals.h"
#include "zmtp/error.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

enum class role { sends, receives, does_both, asks, answers };

role role_of(zmtp::socket_type type) {
  switch (type) {
    case zmtp::socket_type::push:
    case zmtp::socket_type::pub: return role::sends;
    case zmtp::socket_type::pull:
    case zmtp::socket_type::sub: return role::receives;
    case zmtp::socket_type::req: return role::asks;
    case zmtp::socket_type::rep: return role::answers;
    case zmtp::socket_type::pair:
    case zmtp::socket_type::dealer:
    case zmtp::socket_type::router:
    case zmtp::socket_type::xpub:
    case zmtp::socket_type::xsub: break;
  }
  return role::does_both;
}

bool publishes(zmtp::socket_type type) {
  return type == zmtp::socket_type::pub || type == zmtp::socket_type::xpub;
}

zmtp::socket_options options_of(const cat_arguments& arguments) {
  auto options = arguments.socket;
  options.routing_id = arguments.routing_id;
  options.linger.reset();
  // Reports a message for an unknown routing id.
  options.mandatory = arguments.type == zmtp::socket_type::router;
  if (publishes(arguments.type)) {
    options.no_drop = true;
    options.xpub.announce_as_pub = arguments.type == zmtp::socket_type::pub;
    options.xpub.notifications = arguments.type == zmtp::socket_type::pub
                                     ? zmtp::xpub_options::notices::changes
                                     : zmtp::xpub_options::notices::all;
  }
  return options;
}

// Returns XPUB for PUB, because an XPUB reports subscriptions.
zmtp::socket_type type_beneath(zmtp::socket_type type) {
  return type == zmtp::socket_type::pub ? zmtp::socket_type::xpub : type;
}

line_style style_of(const cat_arguments& arguments, line_form form) {
  return {.form = form,
          .separator = arguments.separator,
          .routed = arguments.type == zmtp::socket_type::router,
          .terminal = stdout_is_terminal()};
}

class cat {
public:
  cat(asio::io_context& context, const cat_arguments& arguments)
      : arguments_{arguments},
        style_{style_of(arguments, arguments.format)},
        socket_{context.get_executor(), type_beneath(arguments.type), options_of(arguments)},
        source_{context.get_executor(), arguments.files, style_of(arguments, arguments.input),
                [this](std::string_view fault) { fail(fault); }},
        pause_{context.get_executor()},
        news_{context.get_executor(), asio::steady_timer::time_point::max()},
        signals_{context.get_executor(), [this] { interrupt(); }} {
    for (const auto& prefix : subscriptions_of(arguments)) {
      socket_.subscribe(prefix);
    }
    for (const auto& at : socket_.attach(arguments.endpoints, arguments.bind)) {
      fmt::print(stderr, "bound {}\n", at.to_string());
    }
    switch (role_of(arguments.type)) {
      case role::sends:
        spawn(act(&cat::send_all));
        // Receives subscriptions until the socket closes.
        if (publishes(arguments.type)) {
          spawn(receive_all());
        }
        break;
      case role::receives: spawn(act(&cat::receive_all)); break;
      case role::does_both:
        spawn(act(&cat::receive_all));
        spawn(send_all());
        break;
      case role::asks: spawn(act(&cat::ask_all)); break;
      case role::answers:
        spawn(act(&cat::answer_all));
        if (!has_fixed_reply()) {
          spawn(read_replies());
        }
        break;
    }
  }

  [[nodiscard]] int code() const noexcept { return code_; }

private:
  static std::vector<std::string> subscriptions_of(const cat_arguments& arguments) {
    const bool all = arguments.type == zmtp::socket_type::sub && arguments.subscriptions.empty();
    return all ? std::vector<std::string>{""} : arguments.subscriptions;
  }

  void spawn(asio::awaitable<void> loop) {
    asio::co_spawn(pause_.get_executor(), std::move(loop),
                   [this](const std::exception_ptr& thrown) {
                     if (thrown) {
                       stop();
                       std::rethrow_exception(thrown);
                     }
                   });
  }

  // Runs the loop that decides when the program ends, then closes the socket.
  asio::awaitable<void> act(asio::awaitable<void> (cat::*loop)()) {
    co_await (this->*loop)();
    source_.cancel();
    pause_.cancel();
    if (!interrupted_) {
      const auto [ec] = co_await socket_.base().async_close(limit(), token);
      if (ec == zmtp::errc::timed_out) {
        fail("cannot write all messages: timeout; check that the peer runs", exit_code::no_answer);
      } else if (ec && !interrupted_) {
        fail(ec.message());
      }
    }
    over_ = true;
    signals_.cancel();
  }

  void fail(std::string_view what, exit_code code = exit_code::failed) {
    if (!interrupted_ && !over_) {
      fmt::print(stderr, "zinc cat: {}\n", what);
      code_ = code;
    }
  }
  void interrupt() {
    interrupted_ = true;
    stop();
  }
  void stop() {
    source_.cancel();
    pause_.cancel();
    news_.cancel();
    socket_.base().close(std::chrono::milliseconds{0});
    signals_.cancel();
  }

  [[nodiscard]] zmtp::deadline limit() const {
    return arguments_.timeout ? zmtp::deadline{*arguments_.timeout} : zmtp::deadline{};
  }
  [[nodiscard]] bool has_fixed_reply() const { return arguments_.echo || arguments_.reply; }
  [[nodiscard]] bool is_enough(std::size_t n) const { return arguments_.count == n; }

  asio::awaitable<bool> send(zmtp::message m) {
    zmtp::message_batch one;
    one.append(std::move(m));
    const auto [ec, count] = co_await socket_.async_send(one, limit(), token);
    if (!ec) {
      co_return true;
    }
    if (ec == zmtp::errc::timed_out) {
      fail("cannot send: timeout; check that a peer with a fitting socket type runs",
           exit_code::no_answer);
    } else if (ec == zmtp::errc::host_unreachable) {
      fail("cannot send: no peer has this routing id");
      co_return true;  // the next message may be for another peer
    } else if (ec != zmtp::errc::socket_closed) {
      fail(ec.message());
    }
    co_return false;
  }

  asio::awaitable<void> send_all() {
    if (publishes(arguments_.type) && !arguments_.at_once) {
      co_await await_subscription();
      if (!subscribed_) {
        co_return;
      }
    }
    zmtp::message m;
    const bool counts = role_of(arguments_.type) == role::sends;
    for (std::size_t sent = 0; !counts || !is_enough(sent); ++sent) {
      const auto there = co_await source_.read(m);
      if (!there) {
        co_return;
      }
      if (sent != 0) {
        co_await pause();
      }
      const auto done = co_await send(std::move(m));
      if (!done) {
        // A socket that also receives continues to do so.
        co_return;
      }
    }
  }

  asio::awaitable<void> await_subscription() {
    if (!subscribed_) {
      news_.expires_at(
          limit().at(zmtp::runtime::system()).value_or(asio::steady_timer::time_point::max()));
      co_await news_.async_wait(token);
    }
    if (!subscribed_) {
      fail("cannot send: no subscriber within the timeout; start one, or use --at-once",
           exit_code::no_answer);
    }
  }

  asio::awaitable<void> pause() {
    if (arguments_.interval.count() != 0) {
      pause_.expires_after(arguments_.interval);
      co_await pause_.async_wait(token);
    }
  }

  // Receives one message. Returns false if there are no more.
  asio::awaitable<bool> receive(zmtp::message& to) {
    while (!socket_.try_receive(to)) {
      const auto [ec] = co_await socket_.async_wait_readable(limit(), token);
      if (ec == zmtp::errc::timed_out) {
        timed_out_ = true;
        co_return false;
      }
      if (ec) {
        co_return false;
      }
    }
    co_return true;
  }

  void report_silence(std::size_t received) {
    if (!timed_out_) {
      return;
    }
    if (received == 0) {
      fail("no message within the timeout; check that a peer with a fitting socket type runs",
           exit_code::no_answer);
    } else if (arguments_.count) {
      fail(fmt::format("only {} of {} messages within the timeout", received, *arguments_.count),
           exit_code::no_answer);
    }
  }

  asio::awaitable<void> receive_all() {
    zmtp::message m;
    std::size_t received = 0;
    const bool quiet = arguments_.type == zmtp::socket_type::pub;
    while (quiet || !is_enough(received)) {
      const auto there = co_await receive(m);
      if (!there) {
        break;
      }
      ++received;
      if (publishes(arguments_.type) && m.front().starts_with('\1')) {
        subscribed_ = true;
        news_.cancel();
      }
      if (!quiet && !print(m)) {
        co_return;
      }
    }
    if (!quiet) {
      report_silence(received);
    }
  }

  asio::awaitable<void> ask_all() {
    zmtp::message m;
    for (std::size_t replies = 0; !is_enough(replies); ++replies) {
      const auto there = co_await source_.read(m);
      if (!there) {
        co_return;
      }
      if (replies != 0) {
        co_await pause();
      }
      const auto asked = co_await send(std::move(m));
      if (!asked) {
        co_return;
      }
      const auto replied = co_await receive(m);
      if (timed_out_) {
        fail("no reply within the timeout", exit_code::no_answer);
      }
      if (!replied || !print(m)) {
        co_return;
      }
    }
  }

  asio::awaitable<void> answer_all() {
    zmtp::message m;
    std::size_t requests = 0;
    while (!is_enough(requests)) {
      const auto there = co_await receive(m);
      if (!there) {
        break;
      }
      ++requests;
      in_flight_ = true;
      if (!print(m)) {
        co_return;
      }
      if (arguments_.reply) {
        m = zmtp::message{*arguments_.reply};
      } else if (!arguments_.echo) {
        co_await take_reply(m);
        if (m.empty()) {
          co_return;
        }
      }
      const auto done = co_await send(std::move(m));
      in_flight_ = false;
      if (!done || (replies_over_ && !has_reply_)) {
        co_return;
      }
    }
    report_silence(requests);
  }

  // Leaves `m` without parts if there are no more replies.
  asio::awaitable<void> take_reply(zmtp::message& m) {
    m.clear();
    while (!has_reply_ && !replies_over_ && !interrupted_) {
      news_.expires_at(asio::steady_timer::time_point::max());
      co_await news_.async_wait(token);
    }
    if (has_reply_) {
      m = std::move(next_reply_);
      has_reply_ = false;
      pause_.cancel();
    } else {
      fail("cannot reply: the input ended");
    }
  }

  // Reads one reply ahead, so that the end of the input is known before the next request.
  asio::awaitable<void> read_replies() {
    for (;;) {
      has_reply_ = co_await source_.read(next_reply_);
      if (!has_reply_) {
        break;
      }
      news_.cancel();
      while (has_reply_) {
        pause_.expires_at(asio::steady_timer::time_point::max());
        co_await pause_.async_wait(token);
        if (!socket_.base().is_open()) {
          co_return;
        }
      }
    }
    replies_over_ = true;
    news_.cancel();
    if (!in_flight_) {
      socket_.base().close();
    }
  }

  bool print(const zmtp::message& m) {
    const auto line = line_of(m, style_);
    std::fwrite(line.data(), 1, line.size(), stdout);
    if (std::fflush(stdout) != 0) {
      fail(std::string{"cannot write the output: "} + std::strerror(errno));
      return false;
    }
    return true;
  }

  const cat_arguments& arguments_;
  const line_style style_;
  any_socket socket_;
  message_source source_;
  asio::steady_timer pause_;  // between messages; for a REP: until the reply that was read is sent
  asio::steady_timer news_;   // until there is a subscription or a reply
  stop_signals signals_;

  zmtp::message next_reply_;
  bool has_reply_ = false;
  bool replies_over_ = false;
  bool in_flight_ = false;

  bool subscribed_ = false;
  bool timed_out_ = false;
  bool interrupted_ = false;
  bool over_ = false;
  int code_ = exit_code::done;
};

}  // namespace

int run_cat(const cat_arguments& arguments) {
  asio::io_context context{1};
  try {
    cat one{context, arguments};
    context.run();
    return one.code();
  } catch (const boost::system::system_error& e) {
    fmt::print(stderr, "zinc cat: {}\n", e.what());
    return e.code().category() == zmtp::zmtp_category() ? exit_code::misused : exit_code::failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "zinc cat: {}\n", e.what());
    return exit_code::failed;
  }
}

}  // namespace zinc
