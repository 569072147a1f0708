// A Majordomo worker that keeps its replies (zmtp/pattern/reply_cache): requests name their client and have
// a number, and are executed once.

#include "test/mdp/shell_fixture.h"
#include "zmtp/pattern/freelance_server_state.h"

#include <boost/asio/post.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using clock = std::chrono::steady_clock;

class idempotent_service : public shell_test {
protected:
  // Two of them share the replies, as two connections of one service may.
  std::unique_ptr<worker> counting_worker() {
    return std::make_unique<worker>(
        executor(), at_, impatient_worker(version::v02), [this](worker_request request) {
          const auto key = zmtp::reply_cache::key(request.body()[0], request.body()[1]);
          auto reply = cache_.answer(key, clock::now(), [&] {
            return zmtp::message{std::to_string(++executed_), request.body()[2]};
          });
          // The first time the reply is lost with its worker.
          if (lost_) {
            kept_.push_back(std::move(request));
            boost::asio::post(executor(), [this] { lost_.reset(); });
            return;
          }
          EXPECT_FALSE(request.reply(std::move(reply)));
        });
  }
  zmtp::message ask(client& of, std::string_view who, std::string_view number) {
    std::optional<zmtp::message> reply;
    of.async_request("echo", zmtp::message{who, number, "body"sv},
                     [&](boost::system::error_code ec, zmtp::message m) {
                       EXPECT_FALSE(ec);
                       reply = std::move(m);
                     });
    run_until([&] { return reply.has_value(); });
    return reply.value_or(zmtp::message{});
  }

  zmtp::reply_cache cache_;
  int executed_ = 0;
  std::vector<worker_request> kept_;
  std::unique_ptr<worker> lost_;
};

TEST_F(idempotent_service, answers_a_repeated_request_with_the_same_bytes) {
  start_broker();
  const auto one = counting_worker();
  const auto other = counting_worker();
  await_workers(2);
  client snapshot_client{executor(), at_, patient_client(version::v02)};
  const auto first = ask(snapshot_client, "client", "1");
  EXPECT_EQ(first, (zmtp::message{"1"sv, "body"sv}));
  EXPECT_EQ(ask(snapshot_client, "client", "1"), first);
  EXPECT_EQ(ask(snapshot_client, "client", "2").front(), "2");
  EXPECT_EQ(ask(snapshot_client, "another", "1").front(), "3");
  EXPECT_EQ(executed_, 3);
}

TEST_F(idempotent_service, executes_a_request_once_if_its_answer_was_lost) {
  start_broker();
  lost_ = counting_worker();
  await_workers(1);
  const auto other = counting_worker();
  await_workers(2);
  client snapshot_client{executor(), at_, patient_client(version::v02)};
  EXPECT_EQ(ask(snapshot_client, "client", "1"), (zmtp::message{"1"sv, "body"sv}));
  EXPECT_EQ(executed_, 1);
  EXPECT_EQ(cache_.hits(), 1U);
}

}  // namespace
}  // namespace mdp
