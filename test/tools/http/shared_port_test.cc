// A socket of ws:// and the server of figures at one port.
#include "test/tools/http/http_fixture.h"
#include "zmtp/error.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/transport/other_requests.h"

#include <boost/beast/websocket/stream.hpp>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace zinc::http {
namespace {

using namespace std::string_view_literals;

constexpr auto page_request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"sv;

class shared_port : public http_fixture {
public:
  void start(const limits& at_most = {}) {
    pull_.emplace(executor());
    at_ = pull_->bind("ws://127.0.0.1:*/zws");
    bound.port = at_.ws()->port;
    served.emplace(
        executor(), [this](extent, const auto& take) { reporter_(take); }, at_most);
    zmtp::transport::give_other_requests(context(), *at_.ws(), served->share(bound));
  }
  void expect_that_the_socket_serves() {
    zmtp::push_socket push{executor()};
    push.connect(at_.to_string());
    put(push, "hello");
    zmtp::message got;
    run_until([&] { return pull_->try_receive(got); });
    EXPECT_EQ(got, zmtp::message{"hello"});
  }
  void stop() {
    pull_->close();
    http_fixture::stop();
  }
  void put(zmtp::push_socket& to, std::string_view text) {
    run_until([&] { return to.try_send(zmtp::message{text}) == zmtp::send_status::queued; });
  }

  std::optional<zmtp::pull_socket> pull_;
  zmtp::endpoint at_;
};

TEST_F(shared_port, a_connection_is_of_the_socket_or_of_the_server) {
  start();
  const auto browser = connect();
  EXPECT_EQ(status(get(*browser, "/metrics")), 200U);
  expect_that_the_socket_serves();
  EXPECT_EQ(status(get(*browser, "/zws")), 404U) << "it stays with the server";
  EXPECT_EQ(status(get(*browser, "/status")), 200U);
  EXPECT_EQ(served->counted().connections, 1U);
  expect_that_it_serves();
  stop();
}

TEST_F(shared_port, a_request_may_come_in_two_pieces_or_with_the_next) {
  start();
  for (std::size_t cut = 0; cut <= page_request.size(); ++cut) {
    const auto browser = connect();
    browser->send(page_request.substr(0, cut));
    EXPECT_EQ(status(ask(*browser, std::string{page_request.substr(cut)}.append(page_request))),
              200U)
        << cut;
    EXPECT_EQ(status(response(*browser)), 200U) << cut;
  }
  stop();
}

TEST_F(shared_port, the_page_has_its_own_websocket) {
  start();
  boost::beast::websocket::stream<tcp::socket> page{context()};
  page.next_layer().connect({asio::ip::make_address("127.0.0.1"), bound.port});
  std::optional<boost::system::error_code> done;
  page.async_handshake("localhost", "/live", [&](auto ec) { done = ec; });
  run_until([&] { return done.has_value(); });
  EXPECT_FALSE(*done) << done->message();
}

TEST_F(shared_port, the_server_answers_broken_requests) {
  start({.header_size = 512});
  const struct {
    std::string bytes;
    unsigned status;
  } cases[]{
      {"nonsense\r\n\r\n", 400},
      {std::string("\0\1\2\xff\r\n\r\n", 8), 400},
      {"POST /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", 405},
      {"GET /status HTTP/1.1\r\nHost : localhost\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + std::string(1000, 'x') + "\r\n\r\n", 431},
      {"GET / HTTP/1.1\r\nA: " + std::string(100'000, 'x'), 431},
      {"GET /status HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
  };
  for (const auto& [bytes, expected] : cases) {
    const auto broken = connect();
    EXPECT_EQ(status(ask(*broken, bytes)), expected) << bytes.substr(0, 60);
  }
  expect_that_it_serves();
  expect_that_the_socket_serves();
}

TEST_F(shared_port, the_limits_are_those_of_the_server) {
  start({.connections = 2});
  std::vector<std::unique_ptr<client>> browsers;
  for (int i = 0; i < 3; ++i) {
    browsers.push_back(connect());
    EXPECT_EQ(status(get(*browsers.back(), "/healthz")), 200U);
  }
  run_until([&] { return browsers.front()->ended; });
  EXPECT_EQ(served->counted().evicted, 1U);
  EXPECT_EQ(served->counted().open, 2U);
}

TEST_F(shared_port, a_slow_reader_is_closed_and_the_socket_serves) {
  using namespace std::chrono_literals;
  reporter_ = [](const auto& take) { take(large_report()); };
  start({.response_timeout = 50ms});
  const auto slow = connect(false);
  slow->send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect_that_the_socket_serves();
  run_until([&] { return served->counted().slow_readers == 1; });
  expect_that_it_serves();
}

TEST_F(shared_port, a_stopped_server_takes_no_connections) {
  start();
  served->stop();
  const auto browser = connect();
  browser->send(page_request);
  run_until([&] { return browser->ended; });
  EXPECT_EQ(browser->received, "");
  served.reset();
  const auto next = connect();
  next->send(page_request);
  run_until([&] { return next->ended; });
  EXPECT_EQ(next->received, "");
  expect_that_the_socket_serves();
}

}  // namespace
}  // namespace zinc::http
