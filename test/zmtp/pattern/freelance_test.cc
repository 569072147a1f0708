#include "test/support/network_test.h"
#include "zmtp/error.h"
#include "zmtp/pattern/freelance_client.h"
#include "zmtp/pattern/freelance_server.h"
#include "zmtp/pattern/lazy_pirate_client.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// Zinc's clients and servers on real sockets.
class freelancers : public test::network_test {
protected:
  struct end {
    std::optional<error_code> ec;
    message answer;
  };
  struct served {
    std::optional<freelance_server> server{};
    std::string at{};
    std::vector<held_request> held{};
    bool holds = false;
    int executed = 0;
  };

  // Answers with the request and its own name, or holds the request.
  void start(served& one, std::string name, freelance_server_options options) {
    one.server.emplace(executor(), "", options, [&one, name](held_request request) {
      ++one.executed;
      if (one.holds) {
        one.held.push_back(std::move(request));
        return;
      }
      auto answer = std::move(request.body());
      answer.push_back(name);
      static_cast<void>(request.reply(std::move(answer)));
    });
    one.at = one.server->bind(one.at.empty() ? "tcp://127.0.0.1:*" : one.at).to_string();
  }
  void start_all(freelance_form form) {
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      start(servers_[i], std::string(1, static_cast<char>('a' + i)), {.form = form});
    }
  }
  std::vector<std::string> endpoints() const {
    return {servers_[0].at, servers_[1].at, servers_[2].at};
  }
  std::shared_ptr<end> call(freelance_client& of, message what, freelance_call_options how = {}) {
    auto notified = std::make_shared<end>();
    of.async_call(std::move(what), how, [notified](error_code ec, message answer) {
      notified->ec = ec;
      notified->answer = std::move(answer);
    });
    return notified;
  }
  error_code end_of(const std::shared_ptr<end>& notified) {
    run_until([&] { return notified->ec.has_value(); });
    return notified->ec.value_or(error_code{});
  }
  message answer_of(const std::shared_ptr<end>& notified) {
    EXPECT_EQ(end_of(notified), error_code{});
    return notified->answer;
  }

  std::array<served, 3> servers_;
};

TEST_F(freelancers, handlers_of_a_server_see_messages_as_on_the_wire) {
  using messages = std::vector<message>;
  messages received;
  messages sent;
  const auto into = [](messages& to) {
    return [&to](std::string_view peer, const message& m) {
      EXPECT_FALSE(peer.empty());
      to.push_back(m);
    };
  };
  const auto answer = [](held_request request) {
    static_cast<void>(request.reply(message{"answer"}));
  };
  freelance_server server{executor(),
                          "",
                          {.form = freelance_form::flp},
                          answer,
                          {.on_received = into(received), .on_send = into(sent)}};
  dealer_socket client{executor()};
  client.connect(server.bind("tcp://127.0.0.1:*").to_string());
  EXPECT_EQ(client.try_send({"PING"}), send_status::queued);
  EXPECT_EQ(receive(client), message{"PONG"});
  EXPECT_EQ(client.try_send({"control", "asked"}), send_status::queued);
  EXPECT_EQ(receive(client), (message{"control", "answer"}));
  EXPECT_EQ(received, (messages{{"PING"}, {"control", "asked"}}));
  EXPECT_EQ(sent, (messages{{"PONG"}, {"control", "answer"}}));
}

TEST_F(freelancers, clients_of_the_first_model_switch_to_the_next_server) {
  const auto dead = reserve();
  start(servers_[0], "a", {.form = freelance_form::plain});
  lazy_pirate_client client{executor(), {dead, servers_[0].at}, {.timeout = 500ms, .attempts = 2}};
  std::optional<message> answer;
  client.async_request({"Hello world"sv}, {}, [&](error_code, message m) { answer = m; });
  run_until([&] { return answer.has_value(); });
  EXPECT_EQ(answer, (message{"Hello world"sv, "a"sv}));
}

TEST_F(freelancers, clients_of_the_second_model_get_an_answer_from_any_live_server) {
  start_all(freelance_form::sequenced);
  freelance_client client{executor(), endpoints(), {.model = freelance_model::shotgun}};
  EXPECT_EQ(answer_of(call(client, {"1"sv}, {.idempotent = true})).front(), "1");
  servers_[0].server.reset();
  servers_[1].server.reset();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(answer_of(call(client, {"2"sv}, {.idempotent = true})), (message{"2"sv, "c"sv}));
  }
}

TEST_F(freelancers, clients_of_the_second_model_work_with_a_rep) {
  rep_socket server{executor()};
  const auto at = server.bind("tcp://127.0.0.1:*").to_string();
  freelance_client client{executor(), {at}, {.model = freelance_model::shotgun}};
  const auto notified = call(client, {"name"sv});
  message request;
  run_until([&] { return server.try_receive(request); });
  EXPECT_EQ(request.size(), 2U);
  message reply{request.front(), "OK"sv};
  EXPECT_EQ(server.try_send(std::move(reply)), send_status::queued);
  EXPECT_EQ(answer_of(notified), message{"OK"sv});
}

// FLP-3
TEST_F(freelancers, clients_of_the_third_model_switch_when_their_server_is_gone) {
  start_all(freelance_form::flp);
  freelance_client client{executor(), endpoints(), {}};
  const auto name = std::string{answer_of(call(client, {"1"sv})).back()};
  EXPECT_EQ(answer_of(call(client, {"2"sv})).back(), name);
  auto& asked = servers_[static_cast<std::size_t>(name.front() - 'a')];
  asked.holds = true;
  const auto notified = call(client, {"3"sv}, {.idempotent = true});
  run_until([&] { return asked.held.size() == 1; });
  asked.server.reset();
  EXPECT_NE(answer_of(notified).back(), name);
  asked.held.clear();
}

TEST_F(freelancers, a_server_that_works_long_is_waited_for) {
  start(servers_[0], "a", {.form = freelance_form::flp});
  servers_[0].holds = true;
  freelance_client client{executor(), {servers_[0].at}, {.ping_timeout = 20ms}};
  const auto notified = call(client, {"1"sv});
  run_until([&] { return servers_[0].server->counters().pings >= 5; });
  EXPECT_FALSE(notified->ec);
  EXPECT_EQ(client.counters().passed_over, 0U);
  EXPECT_FALSE(servers_[0].held.front().reply(message{"OK"sv}));
  EXPECT_EQ(answer_of(notified), message{"OK"sv});
}

TEST_F(freelancers, a_cached_reply_is_sent_again) {
  start(servers_[0], "a", {.form = freelance_form::flp, .keep_replies = reply_cache_options{}});
  auto& server = servers_[0];
  dealer_socket guide{executor()};
  guide.connect(server.at);
  for (int i = 0; i < 3; ++i) {
    message request{"17"sv, "name"sv};
    EXPECT_EQ(guide.try_send(std::move(request)), send_status::queued);
    EXPECT_EQ(receive(guide), (message{"17"sv, "name"sv, "a"sv}));
  }
  EXPECT_EQ(server.executed, 1);
  EXPECT_EQ(server.server->counters().repeated, 2U);
}

// FLP-4
TEST_F(freelancers, a_server_announces_its_name_and_a_client_announces_none) {
  router_socket guide{executor(), test::announcing()};
  freelance_server server{executor(), "tcp://localhost:5555", {}, [](held_request) {}};
  guide.connect(server.bind("tcp://127.0.0.1:*").to_string());
  static_cast<void>(receive(guide));
  EXPECT_TRUE(guide.find("tcp://localhost:5555"));

  router_socket watched{executor(), test::announcing()};
  freelance_client client{executor(), {watched.bind("tcp://127.0.0.1:*").to_string()}, {}};
  const auto attached = receive(watched);
  ASSERT_NE(watched.info(attached.peer), nullptr);
  const auto* const identity = watched.info(attached.peer)->properties.find("Identity");
  EXPECT_TRUE(identity == nullptr || identity->empty());
  EXPECT_EQ(watched.info(attached.peer)->type, socket_type::router);
}

TEST_F(freelancers, requests_above_the_limit_wait_outside) {
  start(servers_[0], "a", {.form = freelance_form::flp, .in_flight = 2});
  auto& server = servers_[0];
  server.holds = true;
  freelance_client client{executor(), {server.at}, {.timeout = 20s, .ping_timeout = 20s}};
  std::vector<std::shared_ptr<end>> calls;
  for (int i = 0; i < 5; ++i) {
    calls.push_back(call(client, {"1"sv}));
  }
  run_until([&] { return server.held.size() == 2; });
  for (std::size_t i = 0; i < calls.size(); ++i) {
    run_until([&] { return server.held.size() > i; });
    EXPECT_LE(server.held.size(), i + 2);
    EXPECT_FALSE(server.held[i].reply(message{"OK"sv}));
  }
  for (const auto& notified : calls) {
    EXPECT_EQ(answer_of(notified), message{"OK"sv});
  }
}

TEST_F(freelancers, failed_calls_report_the_outcome) {
  freelance_client nobody{executor(), {reserve()}, {.timeout = 20ms}};
  EXPECT_EQ(end_of(call(nobody, {"1"sv})), call_errc::not_sent);
  EXPECT_EQ(end_of(call(nobody, {})), errc::bad_message);
  start(servers_[0], "a", {.form = freelance_form::flp});
  servers_[0].holds = true;
  freelance_client client{executor(), {servers_[0].at}, {.calls = 1}};
  const auto notified = call(client, {"1"sv});
  EXPECT_EQ(end_of(call(client, {"2"sv})), call_errc::too_many_calls);
  run_until([&] { return servers_[0].held.size() == 1; });
  servers_[0].server.reset();
  EXPECT_EQ(end_of(notified), call_errc::no_answer);
}

TEST_F(freelancers, a_call_can_be_cancelled_and_its_answer_is_nobodys) {
  start(servers_[0], "a", {.form = freelance_form::flp});
  auto& server = servers_[0];
  server.holds = true;
  freelance_client client{executor(), {server.at}, {}};
  boost::asio::cancellation_signal signal;
  auto notified = std::make_shared<end>();
  client.async_call(
      message{"1"sv}, {},
      boost::asio::bind_cancellation_slot(
          signal.slot(), [notified](error_code ec, const message&) { notified->ec = ec; }));
  run_until([&] { return server.held.size() == 1; });
  signal.emit(boost::asio::cancellation_type::total);
  EXPECT_EQ(end_of(notified), boost::asio::error::operation_aborted);
  EXPECT_FALSE(server.held.front().reply(message{"late"sv}));
  server.holds = false;
  EXPECT_EQ(answer_of(call(client, {"2"sv})), (message{"2"sv, "a"sv}));
  EXPECT_EQ(client.counters().surplus, 1U);
}

TEST_F(freelancers, end_their_calls_when_they_stop) {
  start(servers_[0], "a", {.form = freelance_form::flp});
  servers_[0].holds = true;
  std::optional<freelance_client> client{std::in_place, executor(), std::vector{servers_[0].at},
                                         freelance_client_options{}};
  const auto notified = call(*client, {"1"sv});
  client.reset();
  EXPECT_FALSE(notified->ec) << "called within the destructor";
  EXPECT_EQ(end_of(notified), boost::asio::error::operation_aborted);
  freelance_client stopped{executor(), {servers_[0].at}, {}};
  stopped.stop();
  EXPECT_EQ(end_of(call(stopped, {"1"sv})), boost::asio::error::operation_aborted);
  servers_[0].server->stop();
  run_to_the_end();
  EXPECT_THROW(servers_[0].server->bind("tcp://127.0.0.1:*"), boost::system::system_error);
  EXPECT_EQ(end_of(call(stopped, {"1"sv})), boost::asio::error::operation_aborted);
}

TEST_F(freelancers, end_with_their_context) {
  start_all(freelance_form::flp);
  freelance_client client{executor(), endpoints(), {}};
  static_cast<void>(answer_of(call(client, {"1"sv})));
  const auto notified = call(client, {"2"sv});
  destroy_context();
  EXPECT_FALSE(notified->ec);
}

TEST_F(freelancers, faults_of_making_one_are_thrown) {
  const auto fault_of = [&](const std::vector<std::string>& servers,
                            freelance_client_options options) {
    try {
      const freelance_client made{executor(), servers, options};
    } catch (const boost::system::system_error& e) {
      return e.code();
    }
    return error_code{};
  };
  EXPECT_EQ(fault_of({}, {}), call_errc::no_servers);
  EXPECT_EQ(fault_of({"nowhere"}, {}), errc::bad_endpoint);
  EXPECT_EQ(fault_of({"tcp://127.0.0.1:1"}, {.timeout = 0ms}), call_errc::bad_call_option);
  EXPECT_EQ(fault_of({"tcp://127.0.0.1:1"}, {.server_ttl = std::chrono::milliseconds::max()}),
            call_errc::bad_call_option);
  EXPECT_EQ(fault_of(std::vector<std::string>(65, "tcp://127.0.0.1:1"), {}),
            call_errc::bad_call_option);
}

}  // namespace
}  // namespace zmtp
