// Options that change while the socket is used: which hold when.

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"

#include <boost/system/system_error.hpp>

#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class changing_options : public pub_sub_test {};

TEST_F(changing_options, rejects_options_that_peers_have_received) {
  router_socket router{executor()};
  auto options = router.options();
  options.routing_id = "before";
  router.set_options(options);
  router.bind("tcp://127.0.0.1:*");
  options.routing_id = "after";
  options.linger = 1ms;
  error_code ec;
  router.set_options(options, ec);
  EXPECT_EQ(ec, errc::bad_option);
  EXPECT_EQ(router.options().routing_id, "before");
  EXPECT_EQ(router.options().linger, 5s);
  EXPECT_THROW(router.set_options(options), boost::system::system_error);
  options.routing_id = "before";
  router.set_options(options, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(router.options().linger, 1ms);
}

TEST_F(changing_options, the_extensions_of_a_publisher_can_be_set_again) {
  pub_socket publisher{executor(), announcing()};
  publisher.bind("tcp://127.0.0.1:*");
  publisher.set_options(publisher.options());
}

TEST_F(changing_options, marks_are_for_pipes_to_come) {
  router_socket router{executor()};
  dealer_socket dealer{executor()};
  dealer.connect("tcp://127.0.0.1:1");
  auto options = dealer.options();
  options.send_mark.messages = 1;
  dealer.set_options(options);
  EXPECT_EQ(dealer.try_send(message{"1"}), send_status::queued);
  EXPECT_EQ(dealer.try_send(message{"2"}), send_status::queued);
  dealer_socket fresh{executor()};
  fresh.set_options(options);
  fresh.connect("tcp://127.0.0.1:1");
  EXPECT_EQ(fresh.try_send(message{"1"}), send_status::queued);
  EXPECT_EQ(fresh.try_send(message{"2"}), send_status::full);
  fresh.close(0ms);
  dealer.close(0ms);
}

TEST_F(changing_options, limits_hold_for_living_connections) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  peer.send(framed({std::string(100, 'x')}));
  EXPECT_EQ(receive(router).what, routed_message::kind::message);
  auto options = router.options();
  options.limit.frame_size = 99;
  router.set_options(options);
  peer.send(framed({std::string(100, 'x')}));
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  EXPECT_EQ(router.counters().ended[static_cast<std::size_t>(errc::frame_too_large)], 1U);
}

TEST_F(changing_options, heartbeats_begin_on_living_connections) {
  auto options = announcing();
  options.heartbeat.interval.reset();
  router_socket router{executor(), options};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.start_reading();
  peer.shake_hands("DEALER");
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  options.heartbeat.interval = 1ms;
  router.set_options(options);
  run_until([&] { return peer.traffic() == ping(); });
}

TEST_F(changing_options, an_endpoint_can_be_disconnected_later) {
  auto options = announcing();
  options.reconnect = {.initial = 1ms, .maximum = 2ms, .refused_maximum = 2ms, .stable = 1ms};
  dealer_socket dealer{executor(), options};
  dealer.connect("tcp://127.0.0.1:1");
  EXPECT_EQ(dealer.try_send(message{"dropped"}), send_status::queued);
  context().restart();
  context().run_for(10ms);
  options.reconnect.stop_after = 1;
  dealer.set_options(options);
  run_until([&] { return dealer.counters().dropped_detached == 1; });
}

}  // namespace
}  // namespace zmtp::test
