// The loops of zinc cat: what a socket of each type does.

#include "tools/zinc/cat.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <utility>

namespace zinc {

namespace asio = boost::asio;

asio::awaitable<void> cat::send_all() {
  if (publishes_ && !arguments_.at_once) {
    co_await await_subscription();
    if (!subscribed_) {
      co_return;
    }
  }
  zmtp::message m;
  const bool counts = role_ == role::sends;
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
    if (counts) {
      progress_.update(sent + 1, 0);
    }
  }
}

asio::awaitable<void> cat::await_subscription() {
  if (!subscribed_) {
    news_.expires_at(
        limit().at(zmtp::runtime::system()).value_or(asio::steady_timer::time_point::max()));
    co_await news_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (!subscribed_) {
    fail("cannot send: no subscriber within the timeout; start one, or use --at-once",
         exit_code::no_answer);
  }
}

asio::awaitable<void> cat::pause() {
  if (arguments_.interval.count() != 0) {
    pause_.expires_after(arguments_.interval);
    co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

asio::awaitable<void> cat::receive_all() {
  zmtp::message m;
  std::size_t received = 0;
  const bool quiet = arguments_.type == zmtp::socket_type::pub;
  while (quiet || !is_enough(received)) {
    const auto there = co_await receive(m);
    if (!there) {
      break;
    }
    ++received;
    if (publishes_ && m.front().starts_with('\1')) {
      subscribed_ = true;
      news_.cancel();
    }
    if (!quiet && !print(m)) {
      co_return;
    }
    if (!quiet) {
      progress_.update(received, 0);
    }
  }
  if (!quiet) {
    report_silence(received);
  }
}

void cat::report_silence(std::size_t received) {
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

asio::awaitable<void> cat::ask_all() {
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
    progress_.update(replies + 1, 0);
  }
}

asio::awaitable<void> cat::answer_all() {
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
    progress_.update(requests, 0);
  }
  report_silence(requests);
}

asio::awaitable<void> cat::take_reply(zmtp::message& m) {
  m.clear();
  while (!has_reply_ && !replies_over_ && !interrupted_) {
    news_.expires_at(asio::steady_timer::time_point::max());
    co_await news_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (has_reply_) {
    m = std::move(next_reply_);
    has_reply_ = false;
    pause_.cancel();
  } else {
    fail("cannot reply: the input ended");
  }
}

asio::awaitable<void> cat::read_replies() {
  for (;;) {
    has_reply_ = co_await source_.read(next_reply_);
    if (!has_reply_) {
      break;
    }
    news_.cancel();
    while (has_reply_) {
      pause_.expires_at(asio::steady_timer::time_point::max());
      co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
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

}  // namespace zinc
