#include "zmtp/authenticators/zap.h"

#include "test/zmtp/authenticators/later_answer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::use_awaitable;

constexpr const char* handler_endpoint = "inproc://zeromq.zap.01";

class zap : public testing::Test {
protected:
  // Asks about users, and runs until all have an answer.
  std::map<std::string, std::string> ask(const std::vector<std::string>& users,
                                         const zap_options& options) {
    const auto whom = make_zap_authenticator(context.get_executor(), options);
    std::map<std::string, std::string> answers;
    for (const auto& user : users) {
      whom->authenticate(test::peer_at("127.0.0.1:1", "PLAIN"), plain_credentials{user, "secret"},
                         [&, user](authenticator::verdict answer) {
                           const auto* const who = std::get_if<authenticator::principal>(&answer);
                           answers[user] =
                               who != nullptr
                                   ? "user " + who->user_id
                                   : "refused " + std::get<authenticator::refusal>(answer).status;
                         });
    }
    while (answers.size() < users.size()) {
      context.run_one();
    }
    return answers;
  }
  zap_options options(std::chrono::milliseconds timeout = 60s) {
    return {.domain = "test", .timeout = timeout, .on_fault = [this](const std::string& fault) {
              faults.push_back(fault);
            }};
  }
  static message reply(std::string_view id, std::string_view status, std::string_view user) {
    return {"1.0", id, status, "", user, ""};
  }
  // Replies to each request as the function says.
  void start(rep_socket& handler, std::function<message(const message&)> decide) {
    handler.bind(handler_endpoint);
    asio::co_spawn(
        context,
        [&handler, decide = std::move(decide)]() -> asio::awaitable<void> {
          for (;;) {
            const message request = co_await handler.async_receive(use_awaitable);
            auto answer = decide(request);
            co_await handler.async_send(std::move(answer), use_awaitable);
          }
        },
        asio::detached);
  }

  asio::io_context context{1};
  std::vector<std::string> faults;
};

// ZAP-4, ZAP-5
TEST_F(zap, a_rep_decides) {
  rep_socket handler{context.get_executor()};
  std::vector<std::string> asked;
  start(handler, [&](const message& request) {
    asked.emplace_back(request[2]);
    asked.emplace_back(request[3]);
    return reply(request[1], request[6] == "alice" ? "200" : "400", request[6]);
  });
  EXPECT_EQ(ask({"alice", "bob"}, options()),
            (std::map<std::string, std::string>{{"alice", "user alice"}, {"bob", "refused 400"}}));
  EXPECT_EQ(asked, (std::vector<std::string>{"test", "127.0.0.1", "test", "127.0.0.1"}));
  EXPECT_TRUE(faults.empty());
}

// ZAP-5, ZAP-7
TEST_F(zap, a_router_may_reply_in_another_order) {
  router_socket handler{context.get_executor()};
  handler.bind(handler_endpoint);
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        std::vector<routed_message> requests;
        for (int i = 0; i < 3; ++i) {
          requests.push_back(co_await handler.async_receive(use_awaitable));
        }
        for (; !requests.empty(); requests.pop_back()) {
          const auto& request = requests.back();
          const bool has_envelope = request.content.size() == 9 && request.content[0].empty();
          auto answer = reply(request.content[2], has_envelope ? "200" : "500", request.content[7]);
          answer.push_front("");
          co_await handler.async_send(request.peer, std::move(answer), use_awaitable);
        }
      },
      asio::detached);
  EXPECT_EQ(
      ask({"a", "b", "c"}, options()),
      (std::map<std::string, std::string>{{"a", "user a"}, {"b", "user b"}, {"c", "user c"}}));
}

// ZAP-4
TEST_F(zap, a_temporary_error_has_no_status) {
  rep_socket handler{context.get_executor()};
  start(handler, [](const message& request) { return reply(request[1], "300", ""); });
  EXPECT_EQ(ask({"alice"}, options()).at("alice"), "refused ");
}

// ZAP-3
TEST_F(zap, a_reply_to_another_request_refuses) {
  rep_socket handler{context.get_executor()};
  start(handler, [](const message&) { return reply("another", "200", "alice"); });
  EXPECT_EQ(ask({"alice"}, options()).at("alice"), "refused 500");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.at(0),
            "ZAP handler at inproc://zeromq.zap.01: the reply has another request id; correct the "
            "handler");
}

// ZAP-3
TEST_F(zap, a_malformed_reply_refuses_only_its_peer) {
  rep_socket handler{context.get_executor()};
  start(handler, [](const message& request) {
    return request[6] == "alice" ? reply(request[1], "200", "alice") : message{"nonsense"};
  });
  EXPECT_EQ(ask({"alice", "bob"}, options()),
            (std::map<std::string, std::string>{{"alice", "user alice"}, {"bob", "refused 500"}}));
  EXPECT_EQ(faults.size(), 1U);
}

// ZAP-8
TEST_F(zap, no_reply_in_time_refuses) {
  rep_socket handler{context.get_executor()};
  handler.bind(handler_endpoint);
  EXPECT_EQ(ask({"alice"}, options(50ms)).at("alice"), "refused 500");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.at(0),
            "ZAP handler at inproc://zeromq.zap.01: no reply in time; it must answer each request");
}

// ZAP-8
TEST_F(zap, no_handler_refuses) {
  EXPECT_EQ(ask({"alice"}, options(50ms)).at("alice"), "refused 500");
  EXPECT_EQ(faults.size(), 1U);
}

// ZAP-8
TEST_F(zap, a_handler_that_is_bound_late_is_asked) {
  rep_socket handler{context.get_executor()};
  asio::post(context, [&] {
    start(handler, [](const message& request) { return reply(request[1], "200", "alice"); });
  });
  EXPECT_EQ(ask({"alice"}, options()).at("alice"), "user alice");
}

TEST_F(zap, the_authenticator_may_be_destroyed_while_it_asks) {
  bool answered = false;
  {
    asio::io_context other{1};
    const auto whom = make_zap_authenticator(other.get_executor(), options());
    whom->authenticate({}, {}, [&](authenticator::verdict) { answered = true; });
    other.poll();
  }
  EXPECT_FALSE(answered);
}

}  // namespace
}  // namespace zmtp
