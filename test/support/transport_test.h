#pragma once
// Base of tests of transports: an acceptor and what connects to it.

#include "test/support/network_test.h"
#include "zmtp/endpoint.h"
#include "zmtp/options.h"
#include "zmtp/transport/system_acceptor.h"
#include "zmtp/transport/system_connector.h"
#include "zmtp/transport/system_stream.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace zmtp::test {

class transport_test : public network_test {
protected:
  using acceptor = transport::system_acceptor;
  using stream = std::unique_ptr<transport::system_stream>;

  // Records the end of a wait.
  struct recorder final : transport::stream_user, transport::acceptor_user {
    void on_ready(transport::stream_side, error_code ec) override { result = ec; }
    void on_acceptable(error_code ec) override { result = ec; }

    std::optional<error_code> result;
  };

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
    const auto attempt = std::make_shared<transport::system_connector>(executor(), options);
    attempt->start(to, timeout, [&](error_code ec, std::unique_ptr<transport::stream> s) {
      end = ec;
      connected.reset(static_cast<transport::system_stream*>(s.release()));
    });
    EXPECT_FALSE(end) << "completed before start() returned";
    run_until([&] { return end.has_value(); });
    return end.value_or(errc::timed_out);
  }
  [[nodiscard]] error_code connect(const endpoint& to, const transport_options& options = {}) {
    stream connected;
    return connect(to, connected, options);
  }

  [[nodiscard]] stream take(acceptor& from) {
    const auto waiting = std::make_shared<recorder>();
    from.wait(waiting);
    run_until([&] { return waiting->result.has_value(); });
    error_code ec;
    auto accepted = from.accept(ec);
    EXPECT_EQ(ec, error_code{});
    return stream{static_cast<transport::system_stream*>(accepted.release())};
  }

  // Listens at `where`, with `source` before the address that is connected to.
  [[nodiscard]] pair meet(const std::string& where, const transport_options& options = {},
                          const std::optional<host_port>& source = {}) {
    acceptor listening{executor(), options};
    EXPECT_EQ(listening.open(at(where), backlog), error_code{}) << where;
    auto to = listening.bound();
    if (source) {
      std::get<tcp_address>(to.address).source = source;
    }
    stream connected;
    EXPECT_EQ(connect(to, connected, options), error_code{}) << to.to_string();
    return {take(listening), std::move(connected)};
  }
};

}  // namespace zmtp::test
