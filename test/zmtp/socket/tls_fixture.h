#pragma once
// Base of tests of sockets over TLS: two authorities, a server at 127.0.0.1 and localhost, and a
// client alice.

#include "test/support/certificates.h"
#include "test/support/monitored_test.h"
#include "test/support/scratch_folder.h"
#include "zmtp/socket/request_sockets.h"

#include <gtest/gtest.h>

#include <string>

namespace zmtp::test {

inline const std::string any_tls_port = "tls+tcp://127.0.0.1:*";

inline socket_options with(const tls_options& tls) {
  auto options = impatient();
  options.announce_peers = true;
  options.transport.tls = tls;
  return options;
}

class tls_sockets : public monitored_test {
protected:
  using kind = monitor_event::kind;

  tls_sockets() {
    ca_.issue({.common_name = "server", .alternative_names = "DNS:localhost,IP:127.0.0.1"},
              folder_.path("server.pem"));
    ca_.issue({.common_name = "alice"}, folder_.path("alice.pem"));
  }

  [[nodiscard]] tls_options server() const { return {.certificate = folder_.path("server.pem")}; }
  // Demands certificates of clients.
  [[nodiscard]] tls_options strict_server() const {
    return {.certificate = folder_.path("server.pem"), .trusted = ca_.file()};
  }
  [[nodiscard]] tls_options client() const { return {.trusted = ca_.file()}; }
  [[nodiscard]] tls_options alice() const {
    return {.certificate = folder_.path("alice.pem"), .trusted = ca_.file()};
  }
  // Returns the reason for which the next connection ends before its handshake is complete.
  [[nodiscard]] error_code next_refusal(monitor& of) {
    monitor_event event;
    run_until([&] {
      while (of.try_receive(event)) {
        if (event.what == kind::handshake_failed || event.what == kind::refused) {
          return true;
        }
      }
      return false;
    });
    return event.reason;
  }
  void expect_refused(const tls_options& own, const tls_options& peer, errc at_server,
                      errc at_client, const std::string& host = "127.0.0.1") {
    router_socket router{executor(), with(own)};
    dealer_socket dealer{executor(), with(peer)};
    auto server_events = router.monitor();
    auto client_events = dealer.monitor();
    auto at = router.bind(any_tls_port);
    std::get<tcp_address>(at.address).host = host;
    dealer.connect(at.to_string());
    EXPECT_EQ(next_refusal(server_events), at_server);
    EXPECT_EQ(next_refusal(client_events), at_client);
  }

  scratch_folder folder_;
  certificate_authority ca_{"an authority", folder_.path("ca.pem")};
  certificate_authority other_{"another authority", folder_.path("other.pem")};
};

}  // namespace zmtp::test
