// A client for threads that run no event loop.

#include "chp/blocking/client.h"

#include "chp/server.h"
#include "test/chp/stand_in_server.h"
#include "zmtp/blocking/operations.h"
#include "zmtp/error.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace chp::blocking {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;
using zmtp::blocking::run_in;

class blocking_client : public testing::Test {
protected:
  blocking_client() {
    run_in(servers.get_executor(), [this] {
      server = std::make_unique<test::stand_in_server>(servers.get_executor());
      server->map = {{"/a/1", "one"}, {"/b/1", "two"}};
    });
  }
  ~blocking_client() override {
    run_in(servers.get_executor(), [this] { server.reset(); });
  }
  template <class Work>
  auto with_server(Work&& work) {
    return run_in(servers.get_executor(), [&] { return work(*server); });
  }

  static constexpr auto timeout = 20s;
  zmtp::blocking::context servers;
  std::unique_ptr<test::stand_in_server> server;
  zmtp::blocking::context context;
};

TEST_F(blocking_client, calls_return_when_their_operation_ends) {
  client c{context, {server->address()}};
  c.wait_ready(timeout);
  EXPECT_EQ(c.get("/a/1"), "one");
  EXPECT_EQ(c.get("/a/2"), std::nullopt);
  EXPECT_EQ(c.set("/a/2", "new", {.ttl = 60s, .until = timeout}), truth::both_servers);
  EXPECT_EQ(c.get("/a/2"), "new");
  EXPECT_EQ(c.erase("/a/1", {.until = timeout, .require = required::both}), truth::both_servers);
  using entries = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(c.entries("/a/"), (entries{{"/a/2", "new"}}));
  EXPECT_EQ(c.entries(), (entries{{"/a/2", "new"}, {"/b/1", "two"}}));
  EXPECT_EQ(c.status().keys, 2U);
}

TEST_F(blocking_client, faults_are_thrown_or_returned) {
  client c{context, {server->address()}};
  EXPECT_THROW(c.set("HUGZ", "1"), boost::system::system_error);
  error_code ec;
  c.set("/a", "", {}, ec);
  EXPECT_EQ(ec, errc::value_empty);
  EXPECT_EQ(c.erase("", {}, ec), truth::unknown);
  EXPECT_EQ(ec, errc::key_empty);
  EXPECT_THROW((client{context, {}}), boost::system::system_error);
}

TEST_F(blocking_client, a_wait_ends_at_its_deadline) {
  with_server([](auto& s) { s.answers = false; });
  client c{context, {server->address()}};
  error_code ec;
  c.wait_ready(20ms, ec);
  EXPECT_EQ(ec, zmtp::errc::timed_out);
  auto changes = c.watch();
  std::vector<change> batch;
  EXPECT_FALSE(changes.receive(batch, 20ms));
  with_server([](auto& s) { s.wake(); });
  EXPECT_TRUE(changes.receive(batch, timeout));
  EXPECT_EQ(batch.size(), 2U);
}

TEST_F(blocking_client, many_threads_use_one_client) {
  client c{context, {server->address()}};
  c.wait_ready(timeout);
  std::vector<std::thread> threads;
  for (int who = 0; who < 4; ++who) {
    threads.emplace_back([&c, who] {
      const auto key = "/own/" + std::to_string(who);
      for (int i = 0; i < 100; ++i) {
        c.set(key, std::to_string(i), {.until = timeout});
        EXPECT_EQ(c.get(key), std::to_string(i)) << "a thread reads what it has written";
      }
    });
  }
  for (auto& one : threads) {
    one.join();
  }
  EXPECT_EQ(c.entries("/own/").size(), 4U);
}

TEST_F(blocking_client, stopping_wakes_waiting_threads) {
  with_server([](auto& s) { s.answers = false; });
  client c{context, {server->address()}};
  auto changes = c.watch();
  std::thread waits{[&] {
    error_code ec;
    c.wait_ready({}, ec);
    EXPECT_EQ(ec, boost::asio::error::operation_aborted);
  }};
  std::thread watches{[&] {
    std::vector<change> batch;
    EXPECT_FALSE(changes.receive(batch));
  }};
  c.stop();
  waits.join();
  watches.join();
}

TEST_F(blocking_client, set_reports_the_refusal_of_a_server) {
  std::unique_ptr<chp::server> full;
  server_endpoints at;
  run_in(servers.get_executor(), [&] {
    full = std::make_unique<chp::server>(servers.get_executor(),
                                         server_options{.map = {.max_keys = 1}});
    at = full->bind("tcp://127.0.0.1:*");
  });
  {
    client c{context, {server_address::at(at.snapshots.to_string())}};
    c.set("a", "1", {.until = timeout});
    error_code ec;
    c.set("b", "1", {.until = timeout}, ec);
    EXPECT_EQ(ec, errc::too_many_keys);
    EXPECT_EQ(outcome_of(ec), outcome::not_made);
    c.set("a", "2", {.until = timeout});
    EXPECT_EQ(c.get("a"), "2");
  }
  run_in(servers.get_executor(), [&] { full.reset(); });
}

}  // namespace
}  // namespace chp::blocking
