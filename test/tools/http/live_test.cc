// The WebSocket of the page.
#include "test/tools/http/http_fixture.h"

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace zinc::http {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
namespace websocket = boost::beast::websocket;

class http_live : public http_fixture {
public:
  struct page {
    explicit page(asio::io_context& context) : stream{context} {}
    page(const page&) = delete;
    page& operator=(const page&) = delete;
    ~page() { *alive = false; }

    websocket::stream<tcp::socket> stream;
    boost::beast::flat_buffer buffer;
    boost::system::error_code ended;
    std::vector<std::string> messages;
    const std::shared_ptr<bool> alive = std::make_shared<bool>(true);

    void read() {
      stream.async_read(buffer, [this, here = alive](auto ec, std::size_t) {
        if (!*here) {
          return;
        }
        if (ec) {
          ended = ec;
          return;
        }
        messages.push_back(boost::beast::buffers_to_string(buffer.data()));
        buffer.clear();
        read();
      });
    }
  };

  std::unique_ptr<page> open(bool reads = true) {
    auto added = std::make_unique<page>(context());
    added->stream.next_layer().connect({asio::ip::make_address("127.0.0.1"), bound.port});
    bool done = false;
    added->stream.async_handshake("localhost", "/live", [&](auto ec) {
      added->ended = ec;
      done = true;
    });
    run_until([&] { return done; });
    if (reads && !added->ended) {
      added->read();
    }
    return added;
  }
};

TEST_F(http_live, sends_the_status_again_and_again) {
  std::uint64_t value = 0;
  reporter_ = [&](const auto& take) { take(small_report(++value)); };
  start({.page_interval = 1ms});
  const auto shown = open();
  run_until([&] { return shown->messages.size() == 4; });
  EXPECT_NE(shown->messages[1].find(R"("requests":1)"), std::string::npos);
  EXPECT_NE(shown->messages[3].find(R"("requests":3)"), std::string::npos);
  EXPECT_EQ(served->counted().pages, 1U);
  stop();
  EXPECT_EQ(served->counted().pages, 0U);
}

TEST_F(http_live, begins_with_the_history) {
  std::uint64_t value = 0;
  totals_ = [&](const auto& take) { take(small_report(++value)); };
  start({.page_interval = 1ms});
  run_until([&] { return value == 5; });
  const auto shown = open();
  run_until([&] { return !shown->messages.empty(); });
  EXPECT_TRUE(shown->messages[0].starts_with(R"({"history":)"));
  EXPECT_NE(shown->messages[0].find(R"("requests":[1,2,3,4,5)"), std::string::npos);
  stop();
}

TEST_F(http_live, ends_when_the_page_is_closed) {
  start();
  const auto shown = open();
  run_until([&] { return shown->messages.size() == 1; });
  bool closed = false;
  shown->stream.async_close(websocket::close_code::normal, [&](auto) { closed = true; });
  run_until([&] { return closed && served->counted().pages == 0; });
  expect_that_it_serves();
  stop();
}

TEST_F(http_live, pages_above_the_limit_get_an_error) {
  start({.pages = 1});
  const auto first = open();
  const auto second = open();
  EXPECT_EQ(second->ended, websocket::error::upgrade_declined);
  run_until([&] { return !first->messages.empty(); });
  expect_that_it_serves();
  stop();
}

TEST_F(http_live, a_page_that_does_not_read_is_dropped) {
  reporter_ = [](const auto& take) { take(large_report()); };
  start({.response_timeout = 50ms, .page_interval = 1ms});
  const auto shown = open(false);
  expect_that_it_serves();
  run_until([&] { return served->counted().slow_readers == 1 && served->counted().pages == 0; });
  expect_that_it_serves();
  stop();
}

TEST_F(http_live, broken_frames_end_only_their_page) {
  start();
  for (const std::string_view frame : {
           "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv,  // reserved bits
           "\x81\x05hello"sv,                                             // without a mask
           "\x82\xfe\x7f\xff\x01\x02\x03\x04"sv,                          // above the limit
           "\x83\x80\x01\x02\x03\x04"sv,                                  // an unknown opcode
           "\x89\xfe\x01\x00\x01\x02\x03\x04"sv,                          // a ping of 256 bytes
       }) {
    const auto shown = open();
    run_until([&] { return !shown->messages.empty(); });
    // With its length, because a frame may contain 0.
    asio::write(shown->stream.next_layer(), asio::buffer(frame));
    run_until([&] { return served->counted().pages == 0; });
    expect_that_it_serves();
  }
  stop();
}

TEST_F(http_live, a_foreign_page_cannot_open_it) {
  start();
  const auto c = connect();
  EXPECT_EQ(status(ask(*c,
                       "GET /live HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com\r\n"
                       "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")),
            403U);
  stop();
}

}  // namespace
}  // namespace zinc::http
