#include "test/tools/http/http_fixture.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace zinc::http {
namespace {

using namespace std::chrono_literals;
using testing::Test;

class http_server : public http_fixture {};

TEST_F(http_server, serves_figures_in_both_formats) {
  start();
  const auto c = connect();
  const auto metrics = get(*c, "/metrics");
  EXPECT_EQ(status(metrics), 200U);
  EXPECT_NE(metrics.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
            std::string::npos);
  EXPECT_NE(metrics.find("\nzinc_broker_requests_total 7\n"), std::string::npos);
  const auto json = get(*c, "/status");
  EXPECT_EQ(status(json), 200U);
  EXPECT_NE(json.find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_NE(json.find(R"("broker":[{"requests":7}])"), std::string::npos);
  stop();
}

TEST_F(http_server, counts_what_it_serves) {
  start();
  const auto c = connect();
  get(*c, "/healthz");
  EXPECT_NE(get(*c, "/metrics").find("\nzinc_http_responses_total 1\n"), std::string::npos);
  EXPECT_EQ(served->counted().connections, 1U);
  EXPECT_EQ(served->counted().open, 1U);
  stop();
  EXPECT_EQ(served->counted().open, 0U);
}

TEST_F(http_server, is_alive_but_not_ready_without_a_role) {
  totals_ = [](const auto& take) {
    auto now = small_report();
    now.not_ready = "the node is not active";
    take(std::move(now));
  };
  start();
  const auto c = connect();
  EXPECT_EQ(status(get(*c, "/healthz")), 200U);
  const auto ready = get(*c, "/readyz");
  EXPECT_EQ(status(ready), 503U);
  EXPECT_TRUE(ready.ends_with("not ready: the node is not active\n"));
  stop();
}

TEST_F(http_server, serves_the_page_with_a_strict_policy) {
  start();
  const auto c = connect();
  for (const auto* const target : {"/", "/page.css", "/page.js"}) {
    const auto found = get(*c, target);
    EXPECT_EQ(status(found), 200U) << target;
    EXPECT_NE(found.find("Content-Security-Policy: default-src 'none';"), std::string::npos);
    EXPECT_NE(found.find("X-Content-Type-Options: nosniff"), std::string::npos);
  }
  stop();
}

TEST_F(http_server, reads_a_request_that_is_split_at_any_byte) {
  start();
  const auto c = connect();
  const std::string request = "GET /healthz HTTP/1.1\r\nHost: localhost:1\r\n\r\n";
  for (std::size_t i = 1; i < request.size(); ++i) {
    c->send(request.substr(0, i));
    run_ready();
    EXPECT_EQ(status(ask(*c, request.substr(i))), 200U) << i;
  }
  EXPECT_EQ(served->counted().connections, 1U);
  stop();
}

TEST_F(http_server, answers_pipelined_requests_in_order) {
  start();
  const auto c = connect();
  c->send(
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /no HTTP/1.1\r\nHost: "
      "localhost\r\n\r\n");
  EXPECT_EQ(status(response(*c)), 200U);
  EXPECT_EQ(status(response(*c)), 404U);
  stop();
}

TEST_F(http_server, head_has_the_length_without_the_body) {
  start();
  const auto c = connect();
  c->send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto found = response(*c, true);
  EXPECT_EQ(status(found), 200U);
  EXPECT_NE(found.find("Content-Length: 6\r\n"), std::string::npos);
  EXPECT_TRUE(found.ends_with("\r\n\r\n"));
  // The next response begins directly after it.
  EXPECT_EQ(status(get(*c, "/healthz")), 200U);
  stop();
}

TEST_F(http_server, closes_the_connection_of_http_1_0) {
  start();
  const auto c = connect();
  EXPECT_EQ(status(ask(*c, "GET /healthz HTTP/1.0\r\n\r\n")), 200U);
  run_until([&] { return c->ended; });
  stop();
}

TEST_F(http_server, bad_requests_get_an_error_and_disturb_no_other) {
  start();
  const std::vector<std::pair<unsigned, std::string>> bad{
      {400, "garbage\r\n\r\n"},
      {400, std::string("\0\1\2\3\r\n\r\n", 8)},
      {400, "GET / HTTP/1.1\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost localhost\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"},
      {404, "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {405, "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nab"},
      {405, "DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {413, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n"},
      {421, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"},
      {426, "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {431, "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(9'000, 'x') + "\r\n\r\n"},
      {431, "GET /" + std::string(9'000, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {505, "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n"},
  };
  for (const auto& [expected, request] : bad) {
    const auto c = connect();
    EXPECT_EQ(status(ask(*c, request)), expected) << request.substr(0, 80);
    expect_that_it_serves();
  }
  stop();
}

TEST_F(http_server, a_request_without_an_end_times_out) {
  start({.request_timeout = 10ms});
  const auto c = connect();
  const auto answer = ask(*c, "GET / HTTP/1.1\r\nHost: lo");
  EXPECT_EQ(status(answer), 408U);
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("408 Request Timeout; send the whole request at once\n"));
  run_until([&] { return c->ended; });
  EXPECT_EQ(served->counted().bad_requests, 1U);
  expect_that_it_serves();
  stop();
}

TEST_F(http_server, a_body_without_an_end_times_out) {
  start({.request_timeout = 10ms});
  const auto c = connect();
  EXPECT_EQ(status(ask(*c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab")),
            408U);
  run_until([&] { return c->ended; });
  stop();
}

TEST_F(http_server, an_idle_connection_is_closed_without_a_response) {
  start({.idle_timeout = 10ms});
  const auto c = connect();
  run_until([&] { return c->ended; });
  EXPECT_EQ(c->received, "");
  stop();
}

TEST_F(http_server, evicts_the_connection_that_has_waited_longest) {
  start({.connections = 3});
  std::vector<std::unique_ptr<client>> all;
  for (int i = 0; i < 3; ++i) {
    all.push_back(connect());
    get(*all.back(), "/healthz");
  }
  get(*all[0], "/healthz");  // the second has now waited longest
  const auto fourth = connect();
  EXPECT_EQ(status(get(*fourth, "/healthz")), 200U);
  run_until([&] { return all[1]->ended; });
  EXPECT_EQ(served->counted().evicted, 1U);
  EXPECT_EQ(status(get(*all[0], "/healthz")), 200U);
  EXPECT_EQ(status(get(*all[2], "/healthz")), 200U);
  stop();
}

TEST_F(http_server, serves_requests_beside_many_idle_connections) {
  start({.connections = 20});
  std::vector<std::unique_ptr<client>> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(connect());
    run_ready();
  }
  expect_that_it_serves();
  EXPECT_LE(served->counted().open, 20U);
  EXPECT_GE(served->counted().evicted, 180U);
  stop();
}

TEST_F(http_server, refuses_a_connection_if_all_others_are_served) {
  std::function<void(report)> later;
  reporter_ = [&](const auto& take) { later = take; };
  start({.connections = 1});
  const auto busy = connect();
  busy->send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run_until([&] { return static_cast<bool>(later); });
  const auto refused = connect();
  run_until([&] { return refused->ended; });
  EXPECT_EQ(served->counted().refused, 1U);
  later(small_report());
  EXPECT_EQ(status(response(*busy)), 200U);
  stop();
}

TEST_F(http_server, drops_a_reader_that_is_too_slow) {
  reporter_ = [](const auto& take) { take(large_report()); };
  start({.response_timeout = 50ms});
  const auto slow = connect(false);
  slow->send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect_that_it_serves();
  run_until([&] { return served->counted().slow_readers == 1; });
  expect_that_it_serves();
  stop();
}

TEST_F(http_server, a_client_that_leaves_during_the_response_disturbs_no_other) {
  std::function<void(report)> later;
  reporter_ = [&](const auto& take) { later = take; };
  start();
  {
    const auto gone = connect();
    gone->send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    run_until([&] { return static_cast<bool>(later); });
    gone->socket.close();
    run_until([&] { return gone->ended; });
  }
  later(small_report());
  run_until([&] { return served->counted().open == 0; });
  expect_that_it_serves();
  stop();
}

TEST_F(http_server, a_failing_reporter_closes_only_its_connection) {
  reporter_ = [](const auto&) { throw std::runtime_error{"planted"}; };
  start();
  const auto c = connect();
  c->send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run_until([&] { return c->ended; });
  expect_that_it_serves();
  stop();
}

TEST_F(http_server, a_failing_sample_of_the_history_disturbs_no_request) {
  int asked = 0;
  totals_ = [&](const auto&) {
    ++asked;
    throw std::runtime_error{"planted"};
  };
  start({.page_interval = 1ms});
  run_until([&] { return asked == 3; });
  expect_that_it_serves();
  stop();
}

TEST_F(http_server, two_servers_cannot_share_a_port) {
  start();
  server second{executor(), [](extent, const auto&) {}};
  boost::system::error_code ec;
  (void)second.bind(bound, ec);
  EXPECT_EQ(ec, boost::system::errc::address_in_use);
  second.stop();
  stop();
}

TEST_F(http_server, stops_while_a_report_is_pending) {
  std::function<void(report)> later;
  reporter_ = [&](const auto& take) { later = take; };
  start();
  const auto c = connect();
  c->send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run_until([&] { return static_cast<bool>(later); });
  stop();
  later = nullptr;
}

TEST_F(http_server, an_operator_lists_and_changes_things) {
  std::vector<std::string> changed;
  operations_ = {.token = "0123456789abcdef",
                 .list = [](const auto& take) { take({.status = 200, .text = "{}"}); },
                 .change =
                     [&](const std::string& id, const auto& take) {
                       changed.push_back(id);
                       take({.status = id == "a" ? 200U : 404U, .text = "text"});
                     }};
  start();
  const auto c = connect();
  const auto request = [&](std::string_view method, std::string_view fields, std::string_view id) {
    return ask(*c, std::string{method} + " /operator HTTP/1.1\r\nHost: localhost\r\n" +
                       std::string{fields} + "Content-Length: " + std::to_string(id.size()) +
                       "\r\n\r\n" + std::string{id});
  };
  const std::string token = "Authorization: Bearer 0123456789abcdef\r\n";
  const auto refused = request("POST", "", "a");
  EXPECT_EQ(status(refused), 401U);
  EXPECT_NE(refused.find("WWW-Authenticate: Bearer\r\n"), std::string::npos);
  EXPECT_EQ(status(request("POST", token + "Origin: http://example.com\r\n", "a")), 403U);
  EXPECT_TRUE(changed.empty());
  EXPECT_EQ(status(request("GET", token, "")), 200U);
  EXPECT_EQ(status(request("POST", token + "Origin: http://localhost\r\n", "a")), 200U);
  EXPECT_EQ(status(request("POST", token, "b")), 404U);
  EXPECT_EQ(changed, (std::vector<std::string>{"a", "b"}));
  stop();
}

}  // namespace
}  // namespace zinc::http
