#include "zmtp/pattern/lazy_pirate_client.h"

#include "test/support/network_test.h"
#include "zmtp/error.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;

// The additions to bstar::client, whose tests apply to both.
class lazy_pirates : public test::network_test {
protected:
  struct end {
    std::optional<error_code> ec;
    message answer;
  };

  std::shared_ptr<end> ask(lazy_pirate_client& of, std::string_view what, deadline until = {}) {
    auto notified = std::make_shared<end>();
    of.async_request(message{what}, until, [notified](error_code ec, message answer) {
      notified->ec = ec;
      notified->answer = std::move(answer);
    });
    return notified;
  }
  end await(const std::shared_ptr<end>& notified) {
    run_until([&] { return notified->ec.has_value(); });
    return *notified;
  }
  static void echo(routed_message request, router_socket& on) {
    static_cast<void>(on.try_send(request.peer, std::move(request.content)));
  }
  lazy_pirate_handlers noting() {
    return {.on_attempt =
                [this](const attempt_event& event, std::string_view server) {
                  events_.push_back(
                      (event.what == attempt_event::kind::asking ? "asking " : "lost ") +
                      std::to_string(event.attempt) + (server == at_ ? "" : " elsewhere"));
                },
            .accept = [](const message& answer) { return answer.front() != "bad"; }};
  }

  router_socket server_{executor()};
  const std::string at_ = server_.bind("tcp://127.0.0.1:*").to_string();
  std::vector<std::string> events_;
};

TEST_F(lazy_pirates, ask_again_from_a_fresh_socket_and_then_give_up) {
  lazy_pirate_client pirate{executor(), {at_}, {.timeout = 400ms}, noting()};
  const auto notified = ask(pirate, "1");
  const auto first = receive(server_);
  const auto second = receive(server_);
  const auto third = receive(server_);
  EXPECT_EQ(first.content, (message{"", "1"}));
  EXPECT_EQ(third.content, first.content);
  EXPECT_NE(first.peer, second.peer);
  EXPECT_NE(second.peer, third.peer);
  EXPECT_EQ(await(notified).ec, call_errc::no_answer);
  EXPECT_EQ(events_, (std::vector<std::string>{"asking 1", "lost 1", "asking 2", "lost 2",
                                               "asking 3", "lost 3"}));
}

TEST_F(lazy_pirates, report_a_request_without_a_server_as_not_sent) {
  lazy_pirate_client pirate{executor(), {reserve()}, {.timeout = 20ms, .attempts = 2}};
  EXPECT_EQ(await(ask(pirate, "1")).ec, call_errc::not_sent);
}

TEST_F(lazy_pirates, keep_waiting_after_a_malformed_answer) {
  lazy_pirate_client pirate{executor(), {at_}, {.timeout = 400ms}, noting()};
  const auto notified = ask(pirate, "1");
  auto request = receive(server_);
  request.content = message{"", "bad"};
  echo(request, server_);
  echo(receive(server_), server_);
  EXPECT_EQ(await(notified).answer, message{"1"});
  EXPECT_EQ(events_, (std::vector<std::string>{"asking 1", "lost 1", "asking 2"}));
}

TEST_F(lazy_pirates, reach_a_server_that_comes_late) {
  const auto later = reserve();
  lazy_pirate_client pirate{executor(), {later}, {.timeout = 400ms, .attempts = std::nullopt}};
  const auto notified = ask(pirate, "1");
  lazy_pirate_client other{executor(), {at_}, {.timeout = 900ms, .attempts = 1}};
  EXPECT_EQ(await(ask(other, "gives it time")).ec, call_errc::no_answer);
  EXPECT_FALSE(notified->ec);
  router_socket late{executor()};
  late.bind(later);
  echo(receive(late), late);
  EXPECT_EQ(await(notified).answer, message{"1"});
}

TEST_F(lazy_pirates, may_be_stopped_or_destroyed_by_their_handler) {
  std::optional<lazy_pirate_client> pirate;
  pirate.emplace(executor(), std::vector{at_}, lazy_pirate_options{.timeout = 20ms},
                 lazy_pirate_handlers{.on_attempt = [&](const attempt_event& event, auto) {
                   if (event.what == attempt_event::kind::no_answer) {
                     pirate.reset();
                   }
                 }});
  EXPECT_EQ(await(ask(*pirate, "1")).ec, boost::asio::error::operation_aborted);
  EXPECT_FALSE(pirate);
}

TEST_F(lazy_pirates, reject_invalid_options) {
  const auto fault_of = [&](std::vector<std::string> servers, lazy_pirate_options options) {
    try {
      const lazy_pirate_client made{executor(), std::move(servers), options};
    } catch (const boost::system::system_error& e) {
      return e.code();
    }
    return error_code{};
  };
  EXPECT_EQ(fault_of({at_}, {}), error_code{});
  EXPECT_EQ(fault_of({}, {}), call_errc::no_servers);
  EXPECT_EQ(fault_of({at_}, {.timeout = 0ms}), call_errc::bad_call_option);
  EXPECT_EQ(fault_of({at_}, {.timeout = std::chrono::milliseconds::max()}),
            call_errc::bad_call_option);
  EXPECT_EQ(fault_of({at_}, {.attempts = 0}), call_errc::bad_call_option);
  EXPECT_EQ(fault_of({at_}, {.pause = -1ms}), call_errc::bad_call_option);
  EXPECT_EQ(fault_of({"tcp://nowhere"}, {}), errc::bad_endpoint);
}

}  // namespace
}  // namespace zmtp
