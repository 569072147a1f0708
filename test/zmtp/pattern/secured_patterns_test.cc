#include "test/support/guest_list.h"
#include "test/support/network_test.h"
#include "zmtp/pattern/freelance_client.h"
#include "zmtp/pattern/freelance_server.h"
#include "zmtp/pattern/lazy_pirate_client.h"
#include "zmtp/pattern/pirate_queue.h"
#include "zmtp/pattern/pirate_worker.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace zmtp {
namespace {

// Pirates and Freelance over CURVE.
class secured_patterns : public test::network_test {
protected:
  using end = std::shared_ptr<std::optional<error_code>>;

  static auto into(const end& to) {
    return [to](error_code ec, const message&) { *to = ec; };
  }
  static end ask(lazy_pirate_client& of) {
    auto notified = std::make_shared<std::optional<error_code>>();
    of.async_request(message{"question"}, {}, into(notified));
    return notified;
  }
  static end call(freelance_client& of) {
    auto notified = std::make_shared<std::optional<error_code>>();
    of.async_call(message{"question"}, {}, into(notified));
    return notified;
  }
  void expect_answer(const end& notified) {
    run_until([&] { return notified->has_value(); });
    EXPECT_EQ(*notified, error_code{});
  }
  void await_refusals(int count) {
    run_until([&] { return keys_.refused() >= count; });
  }
  static void echo(held_request request) {
    auto body = std::move(request.body());
    static_cast<void>(request.reply(std::move(body)));
  }

  test::guest_list keys_;
};

TEST_F(secured_patterns, a_pirate_queue_serves_the_peers_that_it_admits_and_no_others) {
  pirate_queue queue{executor(), {.socket = keys_.server()}};
  const auto clients = queue.bind_clients("tcp://127.0.0.1:*").to_string();
  const auto workers = queue.bind_workers("tcp://127.0.0.1:*").to_string();
  const pirate_worker stranger{executor(), workers, {.socket = keys_.mallory()}, echo};
  await_refusals(1);
  lazy_pirate_client refused{executor(), {clients}, {.socket = keys_.mallory()}};
  const auto unanswered = ask(refused);
  await_refusals(2);
  EXPECT_EQ(queue.workers(), 0U);

  const pirate_worker worker{executor(), workers, {.socket = keys_.alice()}, echo};
  lazy_pirate_client client{executor(), {clients}, {.socket = keys_.alice()}};
  expect_answer(ask(client));
  EXPECT_EQ(queue.workers(), 1U);
  EXPECT_EQ(queue.counters().requests, 1U);
  EXPECT_FALSE(unanswered->has_value());
}

TEST_F(secured_patterns, a_client_does_not_ask_a_server_with_another_key) {
  freelance_server server{
      executor(), "", {.form = freelance_form::plain, .socket = keys_.server()}, echo};
  const auto at = server.bind("tcp://127.0.0.1:*").to_string();
  lazy_pirate_client misled{
      executor(),
      {at},
      {.timeout = std::chrono::milliseconds{100}, .attempts = 1, .socket = keys_.misled()}};
  const auto failed = ask(misled);
  run_until([&] { return failed->has_value(); });
  EXPECT_EQ(*failed, error_code{call_errc::not_sent});
  EXPECT_EQ(server.counters().requests, 0U);
  lazy_pirate_client client{executor(), {at}, {.socket = keys_.alice()}};
  expect_answer(ask(client));
}

class secured_freelancers : public secured_patterns,
                            public testing::WithParamInterface<freelance_model> {};

INSTANTIATE_TEST_SUITE_P(models, secured_freelancers,
                         testing::Values(freelance_model::shotgun, freelance_model::directed),
                         [](const auto& tested) {
                           return tested.param == freelance_model::shotgun ? "shotgun" : "directed";
                         });

TEST_P(secured_freelancers, serve_the_clients_that_they_admit_and_no_others) {
  const auto form =
      GetParam() == freelance_model::shotgun ? freelance_form::sequenced : freelance_form::flp;
  freelance_server server{executor(), "", {.form = form, .socket = keys_.server()}, echo};
  const auto at = server.bind("tcp://127.0.0.1:*").to_string();
  freelance_client refused{executor(), {at}, {.model = GetParam(), .socket = keys_.mallory()}};
  const auto unanswered = call(refused);
  await_refusals(1);
  freelance_client client{executor(), {at}, {.model = GetParam(), .socket = keys_.alice()}};
  expect_answer(call(client));
  EXPECT_EQ(server.counters().requests, 1U);
  EXPECT_FALSE(unanswered->has_value());
}

}  // namespace
}  // namespace zmtp
