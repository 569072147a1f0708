#include "tools/zinc/cat.h"

#include "tools/zinc/output.h"
#include "zmtp/error.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace zinc {

namespace asio = boost::asio;

namespace {

constexpr auto token = asio::as_tuple(asio::use_awaitable);

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

std::vector<std::string> subscriptions_of(const cat_arguments& arguments) {
  const bool all = arguments.type == zmtp::socket_type::sub && arguments.subscriptions.empty();
  return all ? std::vector<std::string>{""} : arguments.subscriptions;
}

}  // namespace

cat::role cat::role_of(zmtp::socket_type type) {
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

// A terminal in which messages are typed or printed has no place for it.
bool cat::shows_progress() const {
  const bool typed =
      role_ != role::receives && arguments_.files.empty() && ::isatty(STDIN_FILENO) == 1;
  const bool printed = role_ != role::sends && stdout_is_terminal();
  return arguments_.count && !typed && !printed;
}

cat::cat(asio::io_context& context, const cat_arguments& arguments)
    : arguments_{arguments},
      role_{role_of(arguments.type)},
      publishes_{publishes(arguments.type)},
      style_{style_of(arguments, arguments.format)},
      socket_{context.get_executor(), type_beneath(arguments.type), options_of(arguments)},
      source_{context.get_executor(), arguments.files, style_of(arguments, arguments.input),
              [this](std::string_view fault) { fail(fault); }},
      pause_{context.get_executor()},
      news_{context.get_executor(), asio::steady_timer::time_point::max()},
      signals_{context.get_executor(), [this] { interrupt(); }},
      progress_{arguments.count.value_or(0), shows_progress()} {
  for (const auto& prefix : subscriptions_of(arguments)) {
    socket_.subscribe(prefix);
  }
  for (const auto& at : socket_.attach(arguments.endpoints, arguments.bind)) {
    fmt::print(stderr, "bound {}\n", at.to_string());
  }
  switch (role_) {
    case role::sends:
      spawn(act(&cat::send_all));
      // Receives subscriptions until the socket closes.
      if (publishes_) {
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

void cat::spawn(asio::awaitable<void> loop) {
  asio::co_spawn(pause_.get_executor(), std::move(loop), [this](const std::exception_ptr& thrown) {
    if (thrown) {
      stop();
      std::rethrow_exception(thrown);
    }
  });
}

asio::awaitable<void> cat::act(asio::awaitable<void> (cat::*loop)()) {
  co_await (this->*loop)();
  progress_.clear();
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

void cat::fail(std::string_view what, exit_code code) {
  if (!interrupted_ && !over_) {
    progress_.clear();
    fmt::print(stderr, "zinc cat: {}\n", what);
    code_.add(code);
  }
}

void cat::interrupt() {
  interrupted_ = true;
  stop();
}

void cat::stop() {
  source_.cancel();
  pause_.cancel();
  news_.cancel();
  socket_.base().close(std::chrono::milliseconds{0});
  signals_.cancel();
}

asio::awaitable<bool> cat::send(zmtp::message m) {
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

asio::awaitable<bool> cat::receive(zmtp::message& to) {
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

bool cat::print(const zmtp::message& m) {
  try {
    return write_unless_stopped(line_of(m, style_));
  } catch (const std::system_error& e) {
    fail(e.what());
    return false;
  }
}

}  // namespace zinc
