// Brokers and workers on real sockets, with the clock of the test.

#include "test/mdp/shell_fixture.h"
#include "test/support/manual_runtime.h"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <optional>

namespace mdp {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using zmtp::message;
using zmtp::test::manual_runtime;

class virtual_time : public shell_test {
protected:
  virtual_time() { start_broker(broker_options{}); }

  static worker_options echoing() {
    worker_options options;
    options.service = "echo";
    return options;
  }
  static void echo(worker_request request) {
    auto body = std::move(request.body());
    EXPECT_FALSE(request.reply(std::move(body)));
  }

  manual_runtime& time_ = manual_runtime::install_in(context());
};

TEST_F(virtual_time, keeps_an_idle_worker_for_an_hour) {
  int lost = 0;
  conversation_handlers handlers;
  handlers.on_lost = [&] { ++lost; };
  const worker echoes{executor(), at_, echoing(), echo, handlers};
  await_workers(1);
  time_.pass(1h, context());
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(broker_->status().workers, 1U);
  client asks{executor(), at_};
  std::optional<message> answer;
  asks.async_request("echo", message{"m"}, [&](auto ec, message reply) {
    EXPECT_FALSE(ec) << ec.message();
    answer = std::move(reply);
  });
  run_until([&] { return answer.has_value(); });
  EXPECT_EQ(answer, message{"m"});
}

TEST_F(virtual_time, ends_a_worker_that_is_paused) {
  asio::io_context of_worker;
  manual_runtime::install_in(of_worker);
  const worker echoes{of_worker.get_executor(), at_, echoing(), echo};
  const auto limit = std::chrono::steady_clock::now() + timeout;
  while (broker_->status().workers == 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    of_worker.poll();
    run_ready();
  }
  const broker_options options;
  const auto silence = options.heartbeat * options.liveness;
  time_.pass(silence - 1ms, context());
  EXPECT_EQ(broker_->status().workers, 1U);
  time_.pass(1ms, context());
  EXPECT_EQ(broker_->status().workers, 0U);
}

}  // namespace
}  // namespace mdp
