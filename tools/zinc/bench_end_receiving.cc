// The messages that an end of zinc bench receives.

#include "tools/zinc/bench_end.h"
#include "zmtp/error.h"

#include <algorithm>
#include <utility>

namespace zinc {

namespace {

namespace asio = boost::asio;
using bench::clock;
using bench::stamp_kind;

}  // namespace

// Returns false if there are no more.
asio::awaitable<bool> bench_end::receive(zmtp::message& to) {
  const auto limit = role_ == role::replies || role_ == role::sends
                         ? zmtp::deadline{}
                         : zmtp::deadline{arguments_.timeout};
  while (!socket_.try_receive(to)) {
    const auto [ec] = co_await socket_.async_wait_readable(limit, bench_token);
    if (ec) {
      co_return false;
    }
  }
  co_return true;
}

void bench_end::count(const bench::stamp& one) {
  const auto now = clock::now();
  if (report_.messages++ == 0 && role_ == role::receives) {
    begin_ = now;
  }
  report_.duration = now - begin_;
  report_.latency.add(now - one.due);
}

asio::awaitable<void> bench_end::watch_subscriptions() {
  zmtp::message m;
  for (;;) {
    const bool received = co_await receive(m);
    if (!received) {
      co_return;
    }
    met_ = met_ || m.front().starts_with('\1');
    news_.cancel();
  }
}

asio::awaitable<void> bench_end::receive_all() {
  zmtp::message m;
  for (;;) {
    const bool received = co_await receive(m);
    if (!received) {
      fail("no message in time; check that a peer with a fitting socket type sends",
           exit_code::no_answer);
      co_return;
    }
    const auto one = bench::read_stamp(m.back());
    if (!one) {
      fail("a message that zinc bench has not sent; let it send, or use dealer to any router");
      co_return;
    }
    switch (one->kind) {
      case stamp_kind::probe: break;
      case stamp_kind::measured:
        report_.size = m.back().size();
        count(*one);
        break;
      case stamp_kind::end:
        report_.lost = one->number - std::min(report_.messages, one->number);
        co_return;
    }
  }
}

asio::awaitable<void> bench_end::take_replies() {
  zmtp::message m;
  for (;;) {
    while (!socket_.try_receive(m)) {
      const auto [ec] = co_await socket_.async_wait_readable(zmtp::deadline{}, bench_token);
      if (ec) {
        co_return;
      }
    }
    if (const auto one = bench::read_stamp(m.back())) {
      if (one->kind == stamp_kind::measured) {
        if (open_.answer(one->number)) {
          count(*one);
        } else {
          fail("a reply came twice; check that the peer sends each request back once");
        }
      }
      met_ = true;
    } else {
      fail("a reply is not the request; check that the peer sends requests back");
    }
    news_.cancel();
  }
}

asio::awaitable<void> bench_end::reply_all() {
  const auto most = arguments_.type == zmtp::socket_type::rep ? 1 : bench::most_of_a_batch;
  zmtp::message m;
  zmtp::message_batch replies;
  for (;;) {
    bool received = co_await receive(m);
    if (!received) {
      co_return;
    }
    const auto now = clock::now();
    begin_ = report_.messages == 0 ? now : begin_;
    report_.duration = now - begin_;
    for (; received; received = replies.size() < most && socket_.try_receive(m)) {
      ++report_.messages;
      report_.size = m.back().size();
      replies.append(std::move(m));
    }
    co_await send(replies);
    replies.clear();
  }
}

}  // namespace zinc
