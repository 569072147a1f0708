// A wait for a REP's turn completes when the turn comes, and each requester gets its own reply.

#include "test/support/pattern_test.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class rep_waiting : public pattern_test {
protected:
  void SetUp() override {
    at_ = rep_.bind("tcp://127.0.0.1:*").to_string();
    for (auto* req : {&first_, &second_}) {
      req->connect(at_);
    }
  }
  // Both have asked, and the request of the first is being served.
  void ask_both() {
    put(first_, message{"first"});
    EXPECT_EQ(take(rep_), message{"first"});
    put(second_, message{"second"});
    std::size_t nothing = 0;
    run_to_a_standstill(nothing);
  }

  std::string at_;
  rep_socket rep_{executor()};
  req_socket first_{executor()};
  req_socket second_{executor()};
};

TEST_F(rep_waiting, a_receive_is_woken_by_a_reply_from_outside_a_turn) {
  ask_both();
  std::optional<message> got;
  rep_.async_receive([&](error_code, message m) { got = std::move(m); });
  std::size_t nothing = 0;
  run_to_a_standstill(nothing);
  EXPECT_FALSE(got) << "before the reply";
  EXPECT_EQ(rep_.try_send(message{"answer"}), send_status::queued);
  EXPECT_FALSE(got) << "within a call";
  run_until([&] { return got.has_value(); });
  EXPECT_EQ(got, message{"second"});
  EXPECT_EQ(take(first_), message{"answer"});
}

TEST_F(rep_waiting, a_wait_is_woken_by_a_reply_from_outside_a_turn) {
  ask_both();
  std::optional<error_code> readable;
  rep_.async_wait_readable([&](error_code ec) { readable = ec; });
  std::size_t nothing = 0;
  run_to_a_standstill(nothing);
  EXPECT_FALSE(readable) << "before the reply";
  EXPECT_EQ(rep_.try_send(message{"answer"}), send_status::queued);
  run_until([&] { return readable.has_value(); });
}

TEST_F(rep_waiting, a_receive_is_woken_by_a_reply_that_is_dropped) {
  ask_both();
  first_.close();
  constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
  run_until([&] { return rep_.counters().ended[lost] == 1; });
  std::optional<message> got;
  rep_.async_receive([&](error_code, message m) { got = std::move(m); });
  std::size_t nothing = 0;
  run_to_a_standstill(nothing);
  EXPECT_EQ(rep_.try_send(message{"answer"}), send_status::queued);
  EXPECT_EQ(rep_.counters().dropped_unknown, 1U);
  run_to_a_standstill(nothing);
  EXPECT_EQ(got, message{"second"});
}

TEST_F(rep_waiting, a_receive_is_woken_by_an_awaited_reply_that_is_dropped) {
  ask_both();
  first_.close();
  constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
  run_until([&] { return rep_.counters().ended[lost] == 1; });
  std::optional<message> got;
  bool replied = false;
  rep_.async_receive([&](error_code, message m) { got = std::move(m); });
  rep_.async_send(message{"answer"}, [&](error_code ec) { replied = !ec; });
  run_until([&] { return got.has_value(); });
  EXPECT_TRUE(replied);
  EXPECT_EQ(got, message{"second"});
}

TEST_F(rep_waiting, cancelled_and_timed_out_receives_take_no_request) {
  std::optional<error_code> end;
  rep_.async_receive(1ms, [&](error_code ec, const message&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, errc::timed_out);
  EXPECT_EQ(rep_.try_send(message{"nobody asked"}), send_status::out_of_turn);
  put(first_, message{"first"});
  EXPECT_EQ(take(rep_), message{"first"});
}

TEST_F(rep_waiting, many_requesters_have_their_own_replies) {
  constexpr int each = 50;
  std::vector<std::unique_ptr<req_socket>> reqs;
  int done = 0;
  const auto serve = [&]() -> asio::awaitable<void> {
    for (;;) {
      message m = co_await rep_.async_receive(use_awaitable);
      co_await rep_.async_send(std::move(m), use_awaitable);
    }
  };
  const auto ask = [&](req_socket& req, int who) -> asio::awaitable<void> {
    for (int i = 0; i < each; ++i) {
      message m{std::to_string(who), std::to_string(i)};
      const auto expected = m;
      co_await req.async_send(std::move(m), use_awaitable);
      const message answer = co_await req.async_receive(use_awaitable);
      EXPECT_EQ(answer, expected);
      ++done;
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  for (int who = 0; who < 30; ++who) {
    reqs.push_back(std::make_unique<req_socket>(executor()));
    reqs.back()->connect(at_);
    asio::co_spawn(context(), ask(*reqs.back(), who), asio::detached);
  }
  run_until([&] { return done == 30 * each; });
  EXPECT_EQ(rep_.counters().dropped_unknown + rep_.counters().dropped_full, 0U);
}

}  // namespace
}  // namespace zmtp::test
