// Sockets over tls+tcp:// as time passes: files that change, and handshakes that stop.

#include "test/support/manual_runtime.h"
#include "test/support/raw_peer.h"
#include "test/zmtp/socket/tls_fixture.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class reloading_tls_sockets : public tls_sockets {
protected:
  reloading_tls_sockets() : time_{manual_runtime::install_in(context())} {}

  manual_runtime& time_;
};

TEST_F(reloading_tls_sockets, a_changed_certificate_is_for_later_connections) {
  router_socket router{executor(), with(server())};
  const auto at = router.bind(any_tls_port).to_string();
  dealer_socket before{executor(), with(client())};
  before.connect(at);
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  other_.issue({.common_name = "new", .alternative_names = "IP:127.0.0.1"},
               folder_.path("server.pem"));
  auto trusting = client();
  trusting.trusted = other_.file();
  dealer_socket soon{executor(), with(trusting)};
  auto events = soon.monitor();
  soon.connect(at);
  EXPECT_EQ(next_refusal(events), errc::certificate_not_trusted) << "looked at once in a second";
  soon.close();
  time_.advance(1s);
  dealer_socket after{executor(), with(trusting)};
  after.connect(at);
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  put(before, {"the old connection stays"});
  EXPECT_EQ(receive(router).content, message{"the old connection stays"});
}

TEST_F(reloading_tls_sockets, a_broken_certificate_is_reported_and_the_old_one_stays) {
  router_socket router{executor(), with(server())};
  const auto at = router.bind(any_tls_port).to_string();
  auto events = router.monitor();
  write_file(folder_.path("server.pem"), "half of a file");
  for (int round = 0; round < 2; ++round) {
    time_.advance(1s);
    dealer_socket dealer{executor(), with(client())};
    dealer.connect(at);
    EXPECT_EQ(receive(router).what, routed_message::kind::attached) << round;
    dealer.close(0ms);
    EXPECT_EQ(receive(router).what, routed_message::kind::detached) << round;
  }
  int reports = 0;
  for (monitor_event event; events.try_receive(event);) {
    if (event.what == kind::certificate_kept) {
      EXPECT_EQ(event.reason, errc::bad_certificate_file);
      EXPECT_EQ(event.endpoint, at);
      ++reports;
    }
  }
  EXPECT_EQ(reports, 1) << "a fault that stays is reported once";
}

// The clock stands, so the connections stay in their handshake.
TEST_F(reloading_tls_sockets, handshakes_that_stop_cost_no_peer_anything_and_end_in_time) {
  constexpr int count = 20;
  auto options = with(server());
  router_socket router{executor(), options};
  const auto at = router.bind(any_tls_port);
  auto events = router.monitor();
  std::vector<std::unique_ptr<raw_peer>> silent;
  for (int i = 0; i < count; ++i) {
    auto& peer = *silent.emplace_back(std::make_unique<raw_peer>(context()));
    peer.connect(at.carrier());
    peer.send(std::string_view{"\x16\x03\x01\x02\x00\x01\x00\x01", 8});
  }
  for (int i = 0; i < count; ++i) {
    (void)next(events, kind::accepted);
  }
  dealer_socket dealer{executor(), with(client())};
  dealer.connect(at.to_string());
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  put(dealer, {"served"});
  EXPECT_EQ(receive(router).content, message{"served"});
  time_.advance(options.limit.handshake_time);
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(next_refusal(events), errc::handshake_timeout);
  }
}

// Half of them send the beginning of a handshake, and the others nothing.
TEST_F(reloading_tls_sockets, idle_handshakes_get_their_places_only) {
  constexpr std::size_t count = 1'000;
  constexpr std::size_t places = 50;
  for (const std::string form : {"tls+tcp://127.0.0.1:*", "wss://127.0.0.1:*/path"}) {
    auto options = with(server());
    options.pending_handshakes = places;
    options.limit.handshake_time = 1h;
    router_socket router{executor(), options};
    auto events = router.monitor();
    const auto at = router.bind(form);
    const auto evicted = [&] {
      return router.counters().ended[static_cast<std::size_t>(errc::handshake_evicted)];
    };
    std::vector<std::unique_ptr<raw_peer>> idle;
    for (std::size_t i = 0; i < count; ++i) {
      auto& peer = *idle.emplace_back(std::make_unique<raw_peer>(context()));
      peer.connect(at.carrier());
      if (i % 2 == 0) {
        peer.send(std::string_view{"\x16\x03\x01\x02\x00\x01\x00\x01", 8});
      }
      (void)next(events, kind::accepted);
      if ((i + 1) % places == 0) {
        EXPECT_EQ(evicted(), i + 1 - places);
        // The usual limit of a process is 1,024 descriptors.
        idle.erase(idle.begin(), idle.end() - places);
        time_.advance(options.limit.handshake_silence);
      }
    }
    dealer_socket dealer{executor(), with(client())};
    dealer.connect(at.to_string());
    EXPECT_EQ(receive(router).what, routed_message::kind::attached);
    put(dealer, {"served"});
    EXPECT_EQ(receive(router).content, message{"served"});
    EXPECT_EQ(evicted(), count + 1 - places);
  }
}

}  // namespace
}  // namespace zmtp::test
