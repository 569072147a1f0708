#pragma once
// Base of tests of transports: an acceptor and what connects to it.

#include "test/support/network_test.h"
#include "zmtp/endpoint.h"
#include "zmtp/options.h"
#include "zmtp/transport/acceptor.h"
#include "zmtp/transport/connector.h"
#include "zmtp/transport/stream.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace zmtp::test {

class transport_test : public network_test {
protected:
  using stream = transport::stream;

  static constexpr int backlog = 16;

  // The two ends of one connection.
  struct pair {
    stream accepted;
    stream connected;
  };

  [[nodiscard]] static endpoint at(const std::string& text) { return *endpoint::parse(text); }

  // How an attempt to connect ends, and with what.
  [[nodiscard]] error_code connect(const endpoint& to, stream& connected,
                                   const transport_options& options = {}) {
    std::optional<error_code> end;
    const auto attempt = std::make_shared<transport::connector>(executor(), options);
    attempt->start(to, timeout, [&](error_code ec, stream s) {
      end = ec;
      connected = std::move(s);
    });
    EXPECT_FALSE(end) << "completed before start() returned";
    run_until([&] { return end.has_value(); });
    return end.value_or(errc::timed_out);
  }
  [[nodiscard]] error_code connect(const endpoint& to, const transport_options& options = {}) {
    stream connected{executor()};
    return connect(to, connected, options);
  }

  [[nodiscard]] stream take(transport::acceptor& from) {
    std::optional<error_code> readable;
    from.async_wait([&](error_code ec) { readable = ec; });
    run_until([&] { return readable.has_value(); });
    stream accepted{executor()};
    EXPECT_EQ(from.accept(accepted), error_code{});
    return accepted;
  }

  // Listens at `where`, with `source` before the address that is connected to.
  [[nodiscard]] pair meet(const std::string& where, const transport_options& options = {},
                          const std::optional<host_port>& source = {}) {
    transport::acceptor acceptor{executor(), options};
    EXPECT_EQ(acceptor.open(at(where), backlog), error_code{}) << where;
    auto to = acceptor.bound();
    if (source) {
      std::get<tcp_address>(to.address).source = source;
    }
    stream connected{executor()};
    EXPECT_EQ(connect(to, connected, options), error_code{}) << to.to_string();
    return {take(acceptor), std::move(connected)};
  }
};

}  // namespace zmtp::test
