// Replies of workers through real sockets: in parts, from coroutines, and NACKs.

#include "test/mdp/shell_fixture.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <map>
#include <string>
#include <vector>

namespace mdp {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

using partial_replies = shell_test;

TEST_F(partial_replies, come_in_order_and_before_the_last) {
  start_broker();
  const worker chatty{executor(), at_, impatient_worker(version::v02), [](worker_request request) {
                        for (int i = 0; i < 100; ++i) {
                          EXPECT_FALSE(request.reply_in_part(message{std::to_string(i)}));
                        }
                        EXPECT_FALSE(request.reply(message{"last"}));
                        EXPECT_EQ(request.reply(message{"twice"}), errc::no_request);
                      }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(version::v02)};
  std::vector<std::string> parts;
  bool over = false;
  snapshot_client.async_request(
      "echo", message{"m"}, {},
      [&](const message& part) {
        EXPECT_FALSE(over);
        parts.emplace_back(part.front());
      },
      [&](error_code ec, const message& last) {
        EXPECT_FALSE(ec);
        EXPECT_EQ(last, message{"last"});
        over = true;
      });
  run_until([&] { return over; });
  ASSERT_EQ(parts.size(), 100U);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i], std::to_string(i));
  }
}

TEST_F(partial_replies, are_not_possible_in_the_older_version) {
  start_broker();
  const worker older{executor(), at_, impatient_worker(version::v01), [](worker_request request) {
                       EXPECT_EQ(request.reply_in_part(message{"part"}),
                                 errc::partial_not_possible);
                       EXPECT_FALSE(request.reply(message{"whole"}));
                     }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(version::v02)};
  message reply;
  snapshot_client.async_request("echo", message{"m"},
                                [&](error_code, message m) { reply = std::move(m); });
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, message{"whole"});
}

class shell_replies : public shell_versions_test {};

INSTANTIATE_TEST_SUITE_P(mdp, shell_replies, all_versions(), name_of_versions);

TEST_P(shell_replies, a_worker_may_be_a_coroutine) {
  start_broker();
  auto options = impatient_worker(workers());
  options.in_flight = 3;
  const worker slow{executor(), at_, options, [&](message body) -> asio::awaitable<message> {
                      asio::steady_timer timer{context(), 1ms};
                      co_await timer.async_wait(asio::use_awaitable);
                      body.push_back("answered");
                      co_return body;
                    }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(clients())};
  int answered = 0;
  for (int i = 0; i < 10; ++i) {
    snapshot_client.async_request("echo", message{std::to_string(i)},
                                  [&, i](error_code ec, const message& m) {
                                    EXPECT_FALSE(ec);
                                    EXPECT_EQ(m, (message{std::to_string(i), "answered"}));
                                    ++answered;
                                  });
  }
  run_until([&] { return answered == 10; });
}

TEST_P(shell_replies, a_handler_refuses_and_fails_requests_and_its_worker_goes_on) {
  start_broker();
  auto options = impatient_worker(workers());
  options.in_flight = 4;
  std::vector<worker_request> in_flight;
  const worker careless{executor(), at_, options, [&](worker_request request) {
                          const std::string text{request.body().front()};
                          if (text == "refuse") {
                            EXPECT_FALSE(request.refuse());
                            EXPECT_EQ(request.fail(), errc::no_request);
                          } else if (text == "fail") {
                            EXPECT_FALSE(request.fail());
                          } else if (text == "hold") {
                            in_flight.push_back(std::move(request));
                          }
                          // Otherwise the handler destroys the request.
                        }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(clients())};
  std::map<std::string, error_code> ends;
  for (const auto* const text : {"hold", "refuse", "fail", "destroy"}) {
    snapshot_client.async_request("echo", message{text},
                                  [&, text](error_code ec, const message&) { ends[text] = ec; });
  }
  run_until([&] { return ends.size() == 3; });
  EXPECT_EQ(ends["refuse"], errc::request_refused);
  EXPECT_EQ(outcome_of(ends["refuse"]), outcome::refused);
  EXPECT_EQ(ends["fail"], errc::request_failed);
  EXPECT_EQ(outcome_of(ends["fail"]), outcome::unknown);
  EXPECT_EQ(ends["destroy"], errc::request_failed);
  ASSERT_EQ(in_flight.size(), 1U);
  EXPECT_FALSE(in_flight[0].reply(message{"done"}));
  run_until([&] { return ends.size() == 4; });
  EXPECT_EQ(ends["hold"], error_code{});
  EXPECT_EQ(broker_->status().counters.workers_registered, 1U);
}

TEST_P(shell_replies, a_coroutine_refuses_and_fails_by_what_it_throws) {
  start_broker();
  const worker careless{
      executor(), at_, impatient_worker(workers()), [](message body) -> asio::awaitable<message> {
        throw boost::system::system_error{body.front() == "refuse" ? errc::request_refused
                                                                   : errc::request_failed};
        co_return body;
      }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(clients())};
  std::map<std::string, error_code> ends;
  for (const auto* const text : {"refuse", "fail"}) {
    snapshot_client.async_request("echo", message{text},
                                  [&, text](error_code ec, const message&) { ends[text] = ec; });
  }
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends["refuse"], errc::request_refused);
  EXPECT_EQ(ends["fail"], errc::request_failed);
  EXPECT_EQ(broker_->status().counters.workers_registered, 1U);
}

}  // namespace
}  // namespace mdp
