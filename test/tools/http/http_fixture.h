#pragma once
// A server of figures, and clients that send any bytes.

#include "test/support/network_test.h"
#include "tools/zinc/http/server.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zinc::http {

namespace asio = boost::asio;
using asio::ip::tcp;

// One figure of one thing.
inline report small_report(std::uint64_t value = 7) {
  static constexpr zmtp::figure what{"requests", zmtp::figure::kind::counter, "accepted requests"};
  return {.component = "broker",
          .not_ready = {},
          .records = {{.group = "broker", .labels = {}, .samples = {{&what, value}}}}};
}

// More than the buffers of the system take from a server.
inline report large_report() {
  auto large = small_report();
  large.records.front().labels.emplace_back("service", std::string(30'000'000, 'x'));
  return large;
}

class http_fixture : public zmtp::test::network_test {
public:
  // A connection of a client, which reads into `received`.
  struct client {
    explicit client(asio::io_context& context) : socket{context} {}
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client() { *alive = false; }

    tcp::socket socket;
    std::string received;
    bool ended = false;
    const std::shared_ptr<bool> alive = std::make_shared<bool>(true);
    std::array<char, 65536> part{};

    void read() {
      socket.async_read_some(asio::buffer(part), [this, here = alive](auto ec, std::size_t size) {
        if (!*here) {
          return;
        }
        received.append(part.data(), size);
        if (ec) {
          ended = true;
        } else {
          read();
        }
      });
    }
    void send(std::string_view bytes) { asio::write(socket, asio::buffer(bytes)); }
  };

  void start(const limits& at_most = {}) {
    served.emplace(
        executor(),
        [this](extent wanted, const auto& take) {
          (wanted == extent::totals ? totals_ : reporter_)(take);
        },
        at_most, operations_);
    boost::system::error_code ec;
    bound = served->bind({}, ec);
    ASSERT_FALSE(ec) << ec.message();
  }
  std::unique_ptr<client> connect(bool reads = true) {
    auto added = std::make_unique<client>(context());
    added->socket.connect({asio::ip::make_address("127.0.0.1"), bound.port});
    added->socket.set_option(tcp::no_delay{true});
    if (reads) {
      added->read();
    }
    return added;
  }
  // Waits for the next response and returns it without those after it.
  std::string response(client& of, bool head = false) {
    std::size_t end = 0;
    run_until([&] { return (end = end_of_response(of.received, head)) != 0 || of.ended; });
    auto found = of.received.substr(0, end);
    of.received.erase(0, end);
    return found;
  }
  std::string ask(client& of, std::string_view request) {
    of.send(request);
    return response(of);
  }
  std::string get(client& of, std::string_view target) {
    return ask(of, std::string{"GET "}.append(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  static unsigned status(std::string_view response) {
    unsigned code = 0;
    if (response.size() > 12) {
      std::from_chars(response.data() + 9, response.data() + 12, code);
    }
    return code;
  }
  void expect_that_it_serves() {
    const auto other = connect();
    EXPECT_EQ(status(get(*other, "/healthz")), 200U);
  }
  // Ends everything, so that a leftover would be noticed.
  void stop() {
    served->stop();
    run_to_the_end();
  }

  std::function<void(const std::function<void(report)>&)> reporter_ = [](const auto& take) {
    take(small_report());
  };
  std::function<void(const std::function<void(report)>&)> totals_ = reporter_;
  operations operations_;
  std::optional<server> served;
  address bound;

private:
  static std::size_t end_of_response(std::string_view bytes, bool head) {
    constexpr std::string_view name = "Content-Length: ";
    const auto end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos) {
      return 0;
    }
    std::size_t size = 0;
    if (const auto at = bytes.find(name); at < end && !head) {
      std::from_chars(bytes.data() + at + name.size(), bytes.data() + end, size);
    }
    return bytes.size() >= end + 4 + size ? end + 4 + size : 0;
  }
};

}  // namespace zinc::http
