#include "tools/zinc/bench_end.h"

#include "zmtp/error.h"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace zinc {

namespace {

namespace asio = boost::asio;
using bench::clock;
using bench::stamp_kind;
using zmtp::socket_type;

constexpr std::size_t most_bytes_of_a_batch = 64 * 1024;
// A PUB drops messages for a subscriber that is slow, so it repeats the last one.
constexpr int ends_of_a_publisher = 10;
constexpr std::chrono::milliseconds between_ends{20};

zmtp::socket_options options_of(const bench_arguments& arguments) {
  auto options = arguments.socket;
  options.linger = arguments.timeout;
  options.immediate = arguments.type == socket_type::push;  // so that sending waits for the peer
  if (arguments.type == socket_type::pub) {
    options.xpub.announce_as_pub = true;
  }
  return options;
}

// An XPUB reports subscriptions.
socket_type type_beneath(socket_type type) {
  return type == socket_type::pub ? socket_type::xpub : type;
}

}  // namespace

bench_end::role bench_end::role_of(socket_type type) {
  switch (type) {
    case socket_type::push:
    case socket_type::pub: return role::sends;
    case socket_type::pull:
    case socket_type::sub: return role::receives;
    case socket_type::dealer:
    case socket_type::req: return role::asks;
    default: return role::replies;
  }
}

bench_end::bench_end(asio::io_context& context, const bench_arguments& arguments,
                     std::function<void()> on_over)
    : arguments_{arguments},
      role_{role_of(arguments.type)},
      on_over_{std::move(on_over)},
      socket_{context.get_executor(), type_beneath(arguments.type), options_of(arguments)},
      news_{context.get_executor()},
      body_(arguments.size, '.'),
      progress_{arguments.count.value_or(0), arguments.count.has_value()} {
  report_.type = zmtp::to_string(arguments.type);
  report_.size = arguments.size;
  socket_.subscribe("");
  for (const auto& at : socket_.attach(arguments.bind, true)) {
    bound_ = at.to_string();
  }
  socket_.attach(arguments.connect, false);
  switch (role_) {
    case role::sends:
      if (arguments.type == socket_type::pub) {
        spawn(watch_subscriptions());
      }
      spawn(act(send_all()));
      break;
    case role::receives: spawn(act(receive_all())); break;
    case role::asks:
      spawn(take_replies());
      spawn(act(send_all()));
      break;
    case role::replies: spawn(act(reply_all())); break;
  }
}

void bench_end::spawn(asio::awaitable<void> task) {
  asio::co_spawn(news_.get_executor(), std::move(task), [](const std::exception_ptr& fault) {
    if (fault) {
      std::rethrow_exception(fault);
    }
  });
}

asio::awaitable<void> bench_end::act(asio::awaitable<void> task) {
  co_await std::move(task);
  socket_.base().close();
  on_over_();
}

void bench_end::stop() {
  stopped_ = true;
  news_.cancel();
  socket_.base().close(std::chrono::milliseconds{0});
}

void bench_end::fail(std::string_view what, exit_code code) {
  if (!stopped_ && fault_.empty()) {
    fault_ = what;
    code_ = code;
  }
}

asio::awaitable<void> bench_end::wait_until(clock::time_point when) {
  news_.expires_at(when);
  co_await news_.async_wait(bench_token);
}

asio::awaitable<bool> bench_end::send(zmtp::message_batch& batch) {
  const auto [ec, taken] =
      co_await socket_.async_send(batch, zmtp::deadline{arguments_.timeout}, bench_token);
  if (ec == zmtp::errc::timed_out) {
    fail("cannot send: timeout; check that a peer with a fitting socket type runs",
         exit_code::no_answer);
  } else if (ec) {
    fail(ec.message());
  }
  co_return !ec;
}

void bench_end::add(zmtp::message_batch& to, const bench::stamp& one) {
  bench::put_stamp(body_.data(), one);
  if (arguments_.type == socket_type::dealer) {
    to.append("", body_);  // as a REP expects
  } else {
    to.append(body_);
  }
}

// With a rate, a DEALER sends whatever the peer does.
bool bench_end::may_send() const {
  if (role_ != role::asks || (arguments_.rate && arguments_.type == socket_type::dealer)) {
    return true;
  }
  const auto most = arguments_.type == socket_type::req ? 1 : arguments_.in_flight;
  return sent_ - report_.messages < most;
}

// Sends and waits for what shows that the peer is there.
asio::awaitable<bool> bench_end::meet() {
  if (arguments_.type != socket_type::pub) {
    zmtp::message_batch probe;
    add(probe, {});
    const bool sent = co_await send(probe);
    if (!sent || role_ == role::sends) {
      co_return sent;
    }
  }
  if (!met_ && !stopped_) {
    co_await wait_until(clock::now() + arguments_.timeout);
  }
  if (!met_) {
    fail("no peer in time; check that one with a fitting socket type runs", exit_code::no_answer);
  }
  co_return met_ && !stopped_;
}

asio::awaitable<void> bench_end::send_all() {
  const bool met = co_await meet();
  if (!met) {
    co_return;
  }
  begin_ = clock::now();
  co_await send_scheduled();
  progress_.clear();
  if (role_ == role::sends) {
    report_.messages = sent_;
    report_.duration = clock::now() - begin_;
    co_await send_end();
    co_return;
  }
  // Each reply moves the end.
  while (report_.messages < sent_ && !stopped_ && fault_.empty()) {
    const auto before = report_.messages;
    co_await wait_until(clock::now() + arguments_.timeout);
    if (report_.messages == before) {
      break;
    }
  }
  report_.lost = sent_ - report_.messages;
  if (report_.messages != sent_) {
    fail("replies are missing; check that the peer replies to each request", exit_code::no_answer);
  }
}

asio::awaitable<void> bench_end::send_scheduled() {
  const bench::schedule plan{
      .begin = begin_,
      .rate = arguments_.rate,
      .count = arguments_.count,
      .duration = arguments_.count ? std::nullopt
                                   : std::optional<std::chrono::nanoseconds>{arguments_.duration}};
  const auto most =
      std::clamp<std::size_t>(most_bytes_of_a_batch / arguments_.size, 1, bench::most_of_a_batch);
  zmtp::message_batch batch;
  while (!stopped_ && fault_.empty()) {
    const auto now = clock::now();
    while (batch.size() < most && may_send() && !plan.over(sent_, now) &&
           plan.due(sent_, now) <= now) {
      add(batch, {stamp_kind::measured, sent_, plan.due(sent_, now)});
      ++sent_;
      if (role_ == role::asks) {
        open_.add();
      }
    }
    if (!batch.empty()) {
      const bool sent = co_await send(batch);
      if (!sent) {
        co_return;
      }
      batch.clear();
      progress_.update(role_ == role::asks ? report_.messages : sent_, 0);
    } else if (plan.over(sent_, now)) {
      co_return;
    } else if (may_send()) {
      co_await wait_until(plan.due(sent_, now));
    } else {
      const auto replies = report_.messages;
      co_await wait_until(now + arguments_.timeout);
      if (report_.messages == replies) {
        co_return;  // the caller reports the missing replies
      }
    }
  }
}

asio::awaitable<void> bench_end::send_end() {
  const int times = arguments_.type == socket_type::pub ? ends_of_a_publisher : 1;
  for (int i = 0; i < times && fault_.empty() && !stopped_; ++i) {
    if (i != 0) {
      co_await wait_until(clock::now() + between_ends);
    }
    zmtp::message_batch last;
    add(last, {stamp_kind::end, sent_, clock::now()});
    co_await send(last);
  }
}

}  // namespace zinc
