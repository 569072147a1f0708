// Endpoints as libzmq's users write them, with libzmq at the other end: interfaces, sources, wildcards
// of both families, and paths that both want.

#include "test/interop/two_sides.h"
#include "test/support/machine.h"
#include "test/support/scratch_folder.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

class transports : public testing::Test {
protected:
  static std::string port_of(const std::string& at) { return at.substr(at.rfind(':') + 1); }
  // libzmq's DEALER sends hello to our ROUTER. Returns the address of the DEALER's connection.
  std::string greet(libzmq::socket& theirs, router_socket& ours) {
    std::string address;
    const auto take = [&]() -> asio::awaitable<void> {
      const routed_message m = co_await ours.async_receive(use_awaitable);
      EXPECT_EQ(m.content, message{"hello"});
      address = ours.info(m.peer)->address;
    };
    sides.run(take, [&] { theirs.send({"hello"}); });
    return address;
  }
  // Our DEALER sends hello to libzmq's ROUTER. Returns the address that the ROUTER reports.
  std::string greet(dealer_socket& ours, libzmq::socket& theirs) {
    std::string address;
    EXPECT_EQ(ours.try_send(message{"hello"}), send_status::queued);
    sides.run_theirs([&] { address = theirs.receive_from("Peer-Address"); });
    return address;
  }

  two_sides sides;
};

TEST_F(transports, interfaces_of_ours_and_theirs) {
  router_socket ours{sides.executor()};
  libzmq::socket their_dealer{sides.theirs(), ZMQ_DEALER};
  their_dealer.connect(ours.bind("tcp://lo:*").to_string());
  EXPECT_TRUE(greet(their_dealer, ours).starts_with("127.0.0.1:"));

  libzmq::socket their_router{sides.theirs(), ZMQ_ROUTER};
  dealer_socket our_dealer{sides.executor()};
  our_dealer.connect(their_router.bind("tcp://lo:*"));
  EXPECT_EQ(greet(our_dealer, their_router), "127.0.0.1");
}

TEST_F(transports, sources_of_ours_and_theirs) {
  router_socket ours{sides.executor()};
  libzmq::socket their_dealer{sides.theirs(), ZMQ_DEALER};
  const auto at_ours = port_of(ours.bind("tcp://*:*").to_string());
  their_dealer.connect("tcp://127.0.0.2:0;127.0.0.1:" + at_ours);
  EXPECT_TRUE(greet(their_dealer, ours).starts_with("127.0.0.2:"));

  libzmq::socket their_router{sides.theirs(), ZMQ_ROUTER};
  dealer_socket our_dealer{sides.executor()};
  our_dealer.connect("tcp://127.0.0.3:0;127.0.0.1:" + port_of(their_router.bind("tcp://*:*")));
  EXPECT_EQ(greet(our_dealer, their_router), "127.0.0.3");
}

TEST_F(transports, wildcards_of_both_families) {
  if (!has_ipv6()) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  socket_options both;
  both.transport.ipv6 = true;
  router_socket ours{sides.executor(), both};
  const auto at_ours = port_of(ours.bind("tcp://*:*").to_string());
  for (const std::string host : {"127.0.0.1", "[::1]"}) {
    libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
    theirs.set(ZMQ_IPV6, 1);
    theirs.connect("tcp://" + host + ":" + at_ours);
    EXPECT_TRUE(greet(theirs, ours).starts_with(host + ":")) << host;
  }
}

TEST_F(transports, a_path_that_they_have_is_in_use) {
  const scratch_folder folder;
  const auto at = "ipc://" + folder.path("socket");
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  theirs.bind(at);
  router_socket ours{sides.executor()};
  error_code ec;
  ours.bind(at, ec);
  EXPECT_EQ(ec, asio::error::address_in_use);
  dealer_socket dealer{sides.executor()};
  dealer.connect(at);
  (void)greet(dealer, theirs);
}

// libzmq removes whatever file is in its way.
TEST_F(transports, a_path_that_they_took_from_us_stays_theirs) {
  const scratch_folder folder;
  const auto at = "ipc://" + folder.path("socket");
  router_socket ours{sides.executor()};
  ours.bind(at);
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  theirs.bind(at);
  error_code ec;
  ours.unbind(at, ec);
  EXPECT_FALSE(ec);
  EXPECT_TRUE(std::filesystem::exists(folder.path("socket")));
}

}  // namespace
}  // namespace zmtp::test
