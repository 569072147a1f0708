// Clients and workers without an event loop: threads that sleep until there is something to do.

#include "mdp/blocking/client.h"
#include "mdp/blocking/worker.h"
#include "mdp/broker.h"
#include "zmtp/blocking/context.h"
#include "zmtp/error.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace mdp::blocking {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

// Of a whole wait: no test comes near it unless something is wrong.
constexpr auto patience = 20s;

class without_a_loop : public testing::Test {
protected:
  without_a_loop() {
    at = broker_.bind("tcp://127.0.0.1:*").to_string();
    thread_ = std::thread{[this] { loop_.run(); }};
  }
  ~without_a_loop() override {
    loop_.stop();
    thread_.join();
  }

  std::string at;
  zmtp::blocking::context context;

private:
  asio::io_context loop_{1};
  mdp::broker broker_{loop_.get_executor()};
  std::thread thread_;
};

TEST_F(without_a_loop, requests_of_many_threads_are_answered_by_many) {
  worker shared{context, at, {.service = "echo", .capacity = 4}};
  std::vector<std::thread> servers;
  for (int i = 0; i < 2; ++i) {
    servers.emplace_back([&] {
      error_code ec;
      while (auto asked = shared.receive(patience, ec)) {
        auto body = std::move(asked->body());
        EXPECT_FALSE(asked->reply(std::move(body)));
      }
      EXPECT_EQ(ec, asio::error::operation_aborted);
    });
  }
  client asker{context, at};
  std::vector<std::thread> askers;
  for (int who = 0; who < 4; ++who) {
    askers.emplace_back([&, who] {
      for (int i = 0; i < 25; ++i) {
        const auto text = std::to_string(who) + "." + std::to_string(i);
        EXPECT_EQ(asker.request("echo", message{text}), message{text});
      }
    });
  }
  for (auto& one : askers) {
    one.join();
  }
  shared.stop();
  for (auto& one : servers) {
    one.join();
  }
}

TEST_F(without_a_loop, what_cannot_be_done_is_thrown_or_told) {
  client asker{context, at};
  EXPECT_THROW(asker.request("", message{"m"}), boost::system::system_error);
  error_code ec;
  asker.request("nobody", message{"m"}, {.in_all = 20ms}, ec);
  EXPECT_EQ(ec, errc::no_reply);
  EXPECT_THROW((client{context, "nonsense"}), boost::system::system_error);
  EXPECT_THROW((worker{context, at, {.service = "mmi.service"}}), boost::system::system_error);
  worker idle{context, at, {.service = "idle"}};
  EXPECT_FALSE(idle.receive(1ms, ec));
  EXPECT_EQ(ec, zmtp::errc::timed_out);
  EXPECT_THROW((void)idle.receive(1ms), boost::system::system_error);
}

TEST_F(without_a_loop, stopping_wakes_who_waits) {
  client asker{context, at};
  std::thread waits{[&] {
    error_code ec;
    asker.request("nobody", message{"m"}, {.timeout = patience}, ec);
    EXPECT_EQ(ec, asio::error::operation_aborted);
  }};
  asker.stop();
  waits.join();
}

TEST_F(without_a_loop, a_worker_drains) {
  worker leaving{context, at, {.service = "echo"}};
  std::thread asks{[&] {
    client asker{context, at};
    EXPECT_EQ(asker.request("echo", message{"m"}), message{"last"});
  }};
  auto asked = leaving.receive(patience);
  std::thread answers{[&] { EXPECT_FALSE(asked.reply(message{"last"})); }};
  EXPECT_FALSE(leaving.drain());
  answers.join();
  asks.join();
}

TEST_F(without_a_loop, a_request_that_is_dropped_goes_to_another) {
  worker first{context, at, {.service = "echo"}};
  std::thread asks{[&] {
    client asker{context, at};
    EXPECT_EQ(asker.request("echo", message{"m"}), message{"answered"});
  }};
  { const auto dropped = first.receive(patience); }
  auto again = first.receive(patience);
  EXPECT_EQ(again.body(), message{"m"});
  EXPECT_FALSE(again.reply(message{"answered"}));
  asks.join();
}

}  // namespace
}  // namespace mdp::blocking
