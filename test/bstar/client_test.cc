#include "bstar/client.h"

#include "test/bstar/node_fixture.h"
#include "zmtp/error.h"
#include "zmtp/pattern/call_error.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <array>
#include <memory>

namespace bstar {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;
using zmtp::message;

class clients : public node_test {
protected:
  // The outcome of a request.
  struct outcome {
    std::optional<error_code> ec;
    message answer;
  };

  static client_options quick_client() { return {.timeout = 400ms, .settle = 20ms}; }

  std::shared_ptr<outcome> ask(client& of, std::string_view what, zmtp::deadline until = {}) {
    auto end = std::make_shared<outcome>();
    of.async_request(message{what}, until, [end](error_code ec, message answer) {
      end->ec = ec;
      end->answer = std::move(answer);
    });
    return end;
  }
  outcome await(const std::shared_ptr<outcome>& end) {
    run_until([&] { return end->ec.has_value(); });
    return *end;
  }
  void expect_answer(client& of, std::string_view what) {
    const auto end = await(ask(of, what));
    EXPECT_FALSE(*end.ec);
    EXPECT_EQ(end.answer, message{what});
  }
  // Sends a request back as its answer.
  static void echo(zmtp::routed_message request, zmtp::router_socket& on) {
    static_cast<void>(on.try_send(request.peer, std::move(request.content)));
  }

  zmtp::router_socket first_{executor()};
  zmtp::router_socket second_{executor()};
  const std::string first_at_ = first_.bind("tcp://127.0.0.1:*").to_string();
  const std::string second_at_ = second_.bind("tcp://127.0.0.1:*").to_string();
};

// BS-11
TEST_F(clients, stay_with_the_server_that_answers) {
  client snapshot_client{executor(), {first_at_, second_at_}, quick_client()};
  for (const auto* const text : {"1", "2", "3"}) {
    const auto end = ask(snapshot_client, text);
    echo(receive(first_), first_);
    EXPECT_EQ(await(end).answer, message{text});
  }
  EXPECT_EQ(snapshot_client.server(), first_at_);
}

// BS-11
TEST_F(clients, ask_the_other_server_when_there_is_no_answer) {
  client snapshot_client{executor(), {first_at_, second_at_}, quick_client()};
  const auto end = ask(snapshot_client, "request");
  const auto dropped = receive(first_);
  echo(receive(second_), second_);
  EXPECT_EQ(await(end).answer, message{"request"});
  EXPECT_EQ(snapshot_client.server(), second_at_);
  // The client ignores an answer that arrives too late.
  echo(dropped, first_);
  const auto next = ask(snapshot_client, "next");
  echo(receive(second_), second_);
  EXPECT_EQ(await(next).answer, message{"next"});
}

TEST_F(clients, try_the_servers_in_turn_until_one_answers) {
  client snapshot_client{executor(), {first_at_, second_at_}, quick_client()};
  const auto end = ask(snapshot_client, "request");
  static_cast<void>(receive(first_));
  static_cast<void>(receive(second_));
  echo(receive(first_), first_);
  EXPECT_EQ(await(end).answer, message{"request"});
}

TEST_F(clients, report_their_attempts_and_skip_answers_that_the_user_rejects) {
  std::vector<std::string> notified;
  const auto tell = [&](const zmtp::attempt_event& event, std::string_view server) {
    notified.push_back(
        (event.what == zmtp::attempt_event::kind::asking ? "asking " : "no answer of ") +
        std::string{server == first_at_ ? "the first" : "the second"});
  };
  client snapshot_client{
      executor(),
      {first_at_, second_at_},
      quick_client(),
      {.on_attempt = tell, .accept = [](const message& answer) { return answer.back() != "bad"; }}};
  const auto end = ask(snapshot_client, "request");
  auto request = receive(first_);
  request.content = message{"", "bad"};
  echo(std::move(request), first_);
  echo(receive(second_), second_);
  EXPECT_EQ(await(end).answer, message{"request"});
  EXPECT_EQ(notified, (std::vector<std::string>{"asking the first", "no answer of the first",
                                                "asking the second"}));
}

TEST_F(clients, report_an_error_if_no_server_answers_in_time) {
  client snapshot_client{executor(), {first_at_, second_at_}, quick_client()};
  EXPECT_EQ(await(ask(snapshot_client, "request", 300ms)).ec, zmtp::call_errc::no_answer);
  EXPECT_EQ(await(ask(snapshot_client, "request", 0ms)).ec, zmtp::call_errc::not_sent);
  client of_nobody{executor(), {reserve()}, quick_client()};
  EXPECT_EQ(await(ask(of_nobody, "request", 50ms)).ec, zmtp::call_errc::not_sent);
}

TEST_F(clients, have_one_request_in_flight) {
  client snapshot_client{executor(), {first_at_}, quick_client()};
  const auto end = ask(snapshot_client, "first", 10s);
  EXPECT_EQ(await(ask(snapshot_client, "second")).ec, zmtp::call_errc::call_in_flight);
  echo(receive(first_), first_);
  EXPECT_EQ(await(end).answer, message{"first"});
  auto nothing = std::make_shared<outcome>();
  snapshot_client.async_request(message{}, {},
                                [nothing](error_code ec, const message&) { nothing->ec = ec; });
  EXPECT_EQ(await(nothing).ec, zmtp::errc::bad_message);
}

TEST_F(clients, a_cancelled_request_ignores_its_answer) {
  client snapshot_client{executor(), {first_at_}, quick_client()};
  boost::asio::cancellation_signal signal;
  auto end = std::make_shared<outcome>();
  snapshot_client.async_request(
      message{"cancelled"}, {},
      boost::asio::bind_cancellation_slot(signal.slot(),
                                          [end](error_code ec, const message&) { end->ec = ec; }));
  const auto taken = receive(first_);
  signal.emit(boost::asio::cancellation_type::total);
  EXPECT_EQ(await(end).ec, boost::asio::error::operation_aborted);
  echo(taken, first_);
  const auto next = ask(snapshot_client, "next");
  echo(receive(first_), first_);
  EXPECT_EQ(await(next).answer, message{"next"});
}

TEST_F(clients, end_their_request_when_they_are_destroyed) {
  std::optional<client> snapshot_client{std::in_place, executor(), std::vector{first_at_},
                                        quick_client()};
  const auto end = ask(*snapshot_client, "request");
  static_cast<void>(receive(first_));
  snapshot_client.reset();
  EXPECT_FALSE(end->ec) << "called within the destructor";
  EXPECT_EQ(await(end).ec, boost::asio::error::operation_aborted);

  client stopped{executor(), {first_at_}, quick_client()};
  stopped.stop();
  EXPECT_EQ(await(ask(stopped, "request")).ec, boost::asio::error::operation_aborted);
}

TEST_F(clients, throw_if_the_constructor_fails) {
  const auto fault_of = [&](std::vector<std::string> servers, client_options options) {
    try {
      const client made{executor(), std::move(servers), options};
    } catch (const boost::system::system_error& e) {
      return e.code();
    }
    return error_code{};
  };
  EXPECT_EQ(fault_of({}, {}), zmtp::call_errc::no_servers);
  EXPECT_EQ(fault_of({first_at_, "nowhere"}, {}), zmtp::errc::bad_endpoint);
  EXPECT_EQ(fault_of({first_at_}, {.timeout = 0ms}), zmtp::call_errc::bad_call_option);
  EXPECT_EQ(fault_of({first_at_}, {.settle = -1ms}), zmtp::call_errc::bad_call_option);
}

TEST_F(clients, get_answers_from_a_pair_after_each_server_is_killed) {
  meet();
  client snapshot_client{executor(),
                         {primary_.it->bind_voter("tcp://127.0.0.1:*", echo).to_string(),
                          backup_.it->bind_voter("tcp://127.0.0.1:*", echo).to_string()},
                         quick_client()};
  expect_answer(snapshot_client, "of the primary");
  const auto primary_voter = std::string{snapshot_client.server()};
  kill(primary_);
  expect_answer(snapshot_client, "of the backup");
  EXPECT_EQ(backup_.activated, std::vector<epoch>{2});
  start(primary_);
  primary_.it->connect(backup_.at);
  node_test::await(primary_, state::passive);
  static_cast<void>(primary_.it->bind_voter(primary_voter, echo));
  expect_answer(snapshot_client, "still of the backup");
  kill(backup_);
  expect_answer(snapshot_client, "of the primary again");
  EXPECT_EQ(primary_.activated, (std::vector<epoch>{1, 3}));
}

}  // namespace
}  // namespace bstar
