// REQ and REP: each way to ask and to reply, over each transport, whichever side binds; whose turn it
// is.

#include "test/support/pattern_test.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

class request_reply : public pattern_test, public testing::WithParamInterface<meeting> {
protected:
  void SetUp() override { join(GetParam(), req_, rep_); }

  req_socket req_{executor()};
  rep_socket rep_{executor()};
};

INSTANTIATE_TEST_SUITE_P(bound_by, request_reply, testing::ValuesIn(meetings()),
                         testing::PrintToStringParamName());

TEST_P(request_reply, requests_get_replies_one_by_one) {
  constexpr int count = 500;
  int done = 0;
  const auto serve = [&]() -> asio::awaitable<void> {
    for (;;) {
      message m = co_await rep_.async_receive(use_awaitable);
      m.push_back("answered");
      co_await rep_.async_send(std::move(m), use_awaitable);
    }
  };
  const auto ask = [&]() -> asio::awaitable<void> {
    for (; done < count; ++done) {
      message m{std::to_string(done), "", std::string(static_cast<std::size_t>(done) * 7, 'x')};
      auto expected = m;
      expected.push_back("answered");
      co_await req_.async_send(std::move(m), use_awaitable);
      const message answer = co_await req_.async_receive(use_awaitable);
      EXPECT_EQ(answer, expected);
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  asio::co_spawn(context(), ask, asio::detached);
  run_until([&] { return done == count; });
  EXPECT_EQ(req_.counters().messages_sent, static_cast<std::size_t>(count));
  EXPECT_EQ(req_.counters().messages_received, static_cast<std::size_t>(count));
  EXPECT_EQ(rep_.counters().messages_received, static_cast<std::size_t>(count));
}

TEST_P(request_reply, requests_get_replies_with_try_calls) {
  wait_for_peer(req_);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(req_.try_send(message{std::to_string(i)}), send_status::queued);
    ASSERT_EQ(take(rep_), message{std::to_string(i)});
    ASSERT_EQ(rep_.try_send(message{"to", std::to_string(i)}), send_status::queued);
    ASSERT_EQ(take(req_), (message{"to", std::to_string(i)}));
  }
}

TEST_P(request_reply, requests_get_replies_in_batches_of_one) {
  auto batch = batch_of({message{"question"}});
  std::optional<std::size_t> sent;
  req_.async_send(batch, [&](error_code ec, std::size_t n) {
    EXPECT_FALSE(ec);
    sent = n;
  });
  message_batch got;
  std::optional<std::size_t> received;
  rep_.async_receive(got, [&](error_code, std::size_t n) { received = n; });
  run_until([&] { return received.has_value(); });
  EXPECT_EQ(sent, 1U);
  EXPECT_EQ(messages_of(got), std::vector<message>{message{"question"}});
  batch.append("answer");
  rep_.async_send(batch, [](error_code ec, std::size_t) { EXPECT_FALSE(ec); });
  received.reset();
  req_.async_receive(got, [&](error_code, std::size_t n) { received = n; });
  run_until([&] { return received.has_value(); });
  EXPECT_EQ(messages_of(got), std::vector<message>{message{"answer"}});
}

TEST_P(request_reply, callbacks_can_send_the_next_request) {
  struct {
    req_socket& req;
    rep_socket& rep;
    int done = 0;
    void serve() {
      rep.async_receive([this](error_code ec, message m) {
        if (!ec) {
          rep.async_send(std::move(m), [this](error_code failed) {
            EXPECT_FALSE(failed);
            serve();
          });
        }
      });
    }
    void ask() {
      req.async_send(message{std::to_string(done)}, [this](error_code ec) {
        EXPECT_FALSE(ec);
        req.async_receive([this](error_code failed, const message& m) {
          if (!failed) {
            EXPECT_EQ(m, message{std::to_string(done)});
            ++done;
            ask();
          }
        });
      });
    }
  } run{req_, rep_};
  run.serve();
  run.ask();
  run_until([&] { return run.done >= 200; });
  req_.close();
  rep_.close();
  run_to_the_end();
}

TEST_P(request_reply, requests_get_replies_after_waits) {
  wait_for_peer(req_);
  std::optional<error_code> readable;
  rep_.async_wait_readable([&](error_code ec) { readable = ec; });
  run_ready();
  EXPECT_FALSE(readable);
  EXPECT_EQ(req_.try_send(message{"question"}), send_status::queued);
  run_until([&] { return readable.has_value(); });
  message m;
  ASSERT_TRUE(rep_.try_receive(m));
  EXPECT_EQ(rep_.try_send(message{"answer"}), send_status::queued);
  readable.reset();
  req_.async_wait_readable([&](error_code ec) { readable = ec; });
  run_until([&] { return readable.has_value(); });
  ASSERT_TRUE(req_.try_receive(m));
  EXPECT_EQ(m, message{"answer"});
}

TEST_P(request_reply, a_second_request_is_out_of_turn_in_every_form) {
  put(req_, message{"first"});
  message second{"second"};
  EXPECT_EQ(req_.try_send(std::move(second)), send_status::out_of_turn);
  EXPECT_EQ(second, message{"second"});  // NOLINT: that is what is tested
  std::vector<error_code> ends;
  req_.async_send(message{"second"}, [&](error_code ec) { ends.push_back(ec); });
  auto batch = batch_of({message{"second"}});
  req_.async_send(batch, [&](error_code ec, std::size_t n) {
    ends.push_back(ec);
    EXPECT_EQ(n, 0U);
  });
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends, std::vector<error_code>(2, errc::out_of_turn));
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_EQ(take(rep_), message{"first"});
  put(rep_, message{"answer"});
  EXPECT_EQ(take(req_), message{"answer"});
  batch = batch_of({message{"third"}, message{"fourth"}});
  std::optional<std::size_t> sent;
  req_.async_send(batch, [&](error_code ec, std::size_t n) {
    EXPECT_EQ(ec, errc::out_of_turn);
    sent = n;
  });
  run_until([&] { return sent.has_value(); });
  EXPECT_EQ(sent, 1U);
  EXPECT_EQ(messages_of(batch), std::vector<message>{message{"fourth"}});
}

TEST_P(request_reply, a_reply_without_a_request_is_out_of_turn_in_every_form) {
  EXPECT_EQ(rep_.try_send(message{"no request"}), send_status::out_of_turn);
  std::vector<error_code> ends;
  rep_.async_send(message{"no request"}, [&](error_code ec) { ends.push_back(ec); });
  auto batch = batch_of({message{"no request"}});
  rep_.async_send(batch, [&](error_code ec, std::size_t) { ends.push_back(ec); });
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends, std::vector<error_code>(2, errc::out_of_turn));
  put(req_, message{"question"});
  EXPECT_EQ(take(rep_), message{"question"});
  put(rep_, message{"answer"});
  EXPECT_EQ(rep_.try_send(message{"and again"}), send_status::out_of_turn);
  EXPECT_EQ(take(req_), message{"answer"});
}

// REP has a peer to send to once it has received.
TEST_P(request_reply, a_rep_is_writable_when_it_has_received) {
  std::optional<error_code> writable;
  rep_.async_wait_writable([&](error_code ec) { writable = ec; });
  put(req_, message{"question"});
  std::size_t nothing = 0;
  run_to_a_standstill(nothing);
  EXPECT_FALSE(writable);
  message m;
  ASSERT_TRUE(rep_.try_receive(m));
  run_to_a_standstill(nothing);
  EXPECT_EQ(writable, error_code{});
}

// sending::async_wait_writable: until a message would be queued.
TEST_P(request_reply, a_req_is_writable_in_its_turn) {
  put(req_, message{"question"});
  std::optional<error_code> writable;
  req_.async_wait_writable([&](error_code ec) { writable = ec; });
  std::size_t nothing = 0;
  run_to_a_standstill(nothing);
  EXPECT_FALSE(writable) << "but a message would be out of turn";
  EXPECT_EQ(take(rep_), message{"question"});
  put(rep_, message{"answer"});
  EXPECT_EQ(take(req_), message{"answer"});
  run_until([&] { return writable.has_value(); });
  EXPECT_EQ(req_.try_send(message{"next"}), send_status::queued);
}

TEST_P(request_reply, closing_delivers_the_last_reply) {
  put(req_, message{"question"});
  EXPECT_EQ(take(rep_), message{"question"});
  put(rep_, message{std::string(3'000'000, 'x')});
  rep_.close();
  EXPECT_EQ(take(req_), message{std::string(3'000'000, 'x')});
}

}  // namespace
}  // namespace zmtp::test
