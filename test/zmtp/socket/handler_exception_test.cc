// An exception of a handler propagates out of run(), and the socket continues as if it had not
// happened.

#include "test/support/network_test.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/strand.hpp>

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

struct thrown : std::runtime_error {
  thrown() : runtime_error{"thrown by a handler"} {}
};

enum class run_by { context, strand };

void PrintTo(run_by who, std::ostream* to) {
  *to << (who == run_by::context ? "context" : "strand");
}

// A strand calls handlers in another way: exceptions pass through its caller.
class handler_exception : public network_test, public testing::WithParamInterface<run_by> {
protected:
  handler_exception()
      : own_{GetParam() == run_by::context ? executor()
                                           : asio::any_io_executor{asio::make_strand(executor())}},
        router_{own_, announcing()},
        dealer_{own_} {}

  void SetUp() override { peer_ = join(dealer_, router_); }

  // Like run_until(), but counts the exceptions.
  template <class Done>
  void run_through_exceptions(Done&& done) {
    for (;;) {
      try {
        run_until(done);
        return;
      } catch (const thrown&) {
        ++thrown_;
      }
    }
  }

  asio::any_io_executor own_;
  router_socket router_;
  dealer_socket dealer_;
  peer_id peer_;
  int thrown_ = 0;
};

INSTANTIATE_TEST_SUITE_P(in, handler_exception, testing::Values(run_by::context, run_by::strand),
                         testing::PrintToStringParamName());

TEST_P(handler_exception, does_not_affect_the_other_operations_of_the_turn) {
  std::vector<std::string> got;
  for (int i = 0; i < 3; ++i) {
    router_.async_receive([&](error_code ec, const routed_message& m) {
      EXPECT_FALSE(ec);
      got.emplace_back(m.content[0]);
      throw thrown{};
    });
  }
  for (const auto* text : {"one", "two", "three"}) {
    EXPECT_EQ(dealer_.try_send(message{text}), send_status::queued);
  }
  run_through_exceptions([&] { return got.size() == 3 && thrown_ == 3; });
  EXPECT_EQ(got, (std::vector<std::string>{"one", "two", "three"}));
}

TEST_P(handler_exception, does_not_affect_messages_it_had_sent) {
  router_.async_receive([&](error_code, routed_message&& m) {
    EXPECT_EQ(router_.try_send(m.peer, std::move(m.content)), send_status::queued);
    throw thrown{};
  });
  EXPECT_EQ(dealer_.try_send(message{"to and fro"}), send_status::queued);
  message answer;
  dealer_.async_receive([&](error_code, message m) { answer = std::move(m); });
  run_through_exceptions([&] { return !answer.empty() && thrown_ == 1; });
}

TEST_P(handler_exception, does_not_stop_the_reading) {
  router_.async_receive([](error_code, const auto&) { throw thrown{}; });
  EXPECT_EQ(dealer_.try_send(message{"first"}), send_status::queued);
  run_through_exceptions([&] { return thrown_ == 1; });
  for (const auto* text : {"second", "third"}) {
    EXPECT_EQ(dealer_.try_send(message{text}), send_status::queued);
    EXPECT_EQ(receive(router_).content, message{text});
  }
}

TEST_P(handler_exception, does_not_stop_the_writing) {
  // More than the kernel takes at once.
  std::size_t sent = 0;
  while (router_.try_send(peer_, message{std::string(1024 * 1024, 'x')}) == send_status::queued) {
    ++sent;
  }
  router_.async_wait_writable(peer_, [](error_code) { throw thrown{}; });
  std::size_t got = 0;
  message m;
  run_through_exceptions([&] {
    got += dealer_.try_receive(m) ? 1U : 0U;
    return got == sent;
  });
  EXPECT_EQ(thrown_, 1);
}

TEST_P(handler_exception, in_a_deadline_handler_does_not_affect_the_next) {
  int ends = 0;
  for (int i = 0; i < 3; ++i) {
    dealer_.async_receive(deadline{1ms}, [&](error_code ec, const message&) {
      EXPECT_EQ(ec, errc::timed_out);
      ++ends;
      throw thrown{};
    });
  }
  run_through_exceptions([&] { return ends == 3 && thrown_ == 3; });
}

TEST_P(handler_exception, after_an_immediate_completion_does_not_affect_the_next) {
  int ends = 0;
  for (int i = 0; i < 3; ++i) {
    dealer_.async_send(message{"m"}, [&](error_code ec) {
      EXPECT_FALSE(ec);
      ++ends;
      throw thrown{};
    });
  }
  run_through_exceptions([&] { return ends == 3 && thrown_ == 3; });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(receive(router_).content, message{"m"});
  }
}

TEST_P(handler_exception, leaves_the_pending_writes_of_a_closed_socket) {
  dealer_.async_receive([](error_code, const message&) { throw thrown{}; });
  EXPECT_EQ(dealer_.try_send(message{"last"}), send_status::queued);
  dealer_.close();
  run_through_exceptions([&] { return thrown_ == 1; });
  EXPECT_EQ(receive(router_).content, message{"last"});
}

}  // namespace
}  // namespace zmtp::test
