// Peers that do not fit: another mechanism than ours, or a socket type that ours does not talk to. The socket
// rejects them, delivers none of their messages, and continues to serve others.

#include "test/interop/two_sides.h"
#include "zmtp/authenticator.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

// The events by which libzmq reports a failed handshake.
constexpr int turned_away = ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                            ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

struct misfit {
  std::string_view name;
  int type;
  void (*configure)(libzmq::socket&);
};

void as_it_is(libzmq::socket&) {}

void plain_client(libzmq::socket& s) {
  s.set(ZMQ_PLAIN_USERNAME, "admin");
  s.set(ZMQ_PLAIN_PASSWORD, "secret");
}

void plain_server(libzmq::socket& s) { s.set(ZMQ_PLAIN_SERVER, 1); }

struct key_pair {
  key_pair() { zmq_curve_keypair(open.data(), secret.data()); }
  std::array<char, 41> open{};
  std::array<char, 41> secret{};
};

void curve_client(libzmq::socket& s) {
  const key_pair server;
  const key_pair own;
  s.set(ZMQ_CURVE_SERVERKEY, std::string_view{server.open.data()});
  s.set(ZMQ_CURVE_PUBLICKEY, std::string_view{own.open.data()});
  s.set(ZMQ_CURVE_SECRETKEY, std::string_view{own.secret.data()});
}

void curve_server(libzmq::socket& s) {
  const key_pair own;
  s.set(ZMQ_CURVE_SERVER, 1);
  s.set(ZMQ_CURVE_SECRETKEY, std::string_view{own.secret.data()});
}

class refusal : public testing::TestWithParam<misfit> {
protected:
  static socket_options announcing() {
    socket_options options;
    options.announce_peers = true;
    return options;
  }

  // The user sees only the good peer.
  static asio::awaitable<void> echo_to_the_good_peer(router_socket& ours, int times) {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(arrival.what, routed_message::kind::attached);
    for (int i = 0; i < times; ++i) {
      routed_message m = co_await ours.async_receive(use_awaitable);
      EXPECT_EQ(m.peer, arrival.peer);
      EXPECT_EQ(to_parts(m.content), parts{"good"});
      co_await ours.async_send(m.peer, std::move(m.content), use_awaitable);
    }
  }

  static void expect_served(libzmq::socket& good) {
    good.send({"good"});
    EXPECT_EQ(good.receive(), parts{"good"});
  }

  two_sides sides;
};

TEST_P(refusal, our_router_rejects_a_bad_peer_that_connects) {
  router_socket ours{sides.executor(), announcing()};
  libzmq::socket good{sides.theirs(), ZMQ_DEALER};
  libzmq::socket bad{sides.theirs(), GetParam().type};
  GetParam().configure(bad);
  libzmq::monitor events{sides.theirs(), bad};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  sides.run([&] { return echo_to_the_good_peer(ours, 2); },
            [&] {
              good.connect(at);
              expect_served(good);
              bad.connect(at);
              events.wait(turned_away);
              expect_served(good);
            });
}

TEST_P(refusal, our_router_rejects_a_bad_peer_that_it_connects_to) {
  router_socket ours{sides.executor(), announcing()};
  libzmq::socket good{sides.theirs(), ZMQ_DEALER};
  libzmq::socket bad{sides.theirs(), GetParam().type};
  GetParam().configure(bad);
  libzmq::monitor events{sides.theirs(), bad};
  ours.connect(good.bind());
  ours.connect(bad.bind());
  sides.run([&] { return echo_to_the_good_peer(ours, 2); },
            [&] {
              expect_served(good);
              events.wait(turned_away);
              expect_served(good);
            });
}

// RFC 28 has a ROUTER talk to REQ, DEALER and ROUTER. By mechanism: DEALER would fit.
INSTANTIATE_TEST_SUITE_P(
    misfits, refusal,
    testing::Values(misfit{"plain_client", ZMQ_DEALER, plain_client},
                    misfit{"plain_server", ZMQ_DEALER, plain_server},
                    misfit{"curve_client", ZMQ_DEALER, curve_client},
                    misfit{"curve_server", ZMQ_DEALER, curve_server},
                    misfit{"rep", ZMQ_REP, as_it_is}, misfit{"pub", ZMQ_PUB, as_it_is},
                    misfit{"sub", ZMQ_SUB, as_it_is}, misfit{"xpub", ZMQ_XPUB, as_it_is},
                    misfit{"xsub", ZMQ_XSUB, as_it_is}, misfit{"push", ZMQ_PUSH, as_it_is},
                    misfit{"pull", ZMQ_PULL, as_it_is}, misfit{"pair", ZMQ_PAIR, as_it_is}),
    [](const auto& m) { return std::string{m.param.name}; });

// The types that a DEALER refuses differ in one: it talks to REP and not to REQ.
TEST_F(refusal, our_dealer_rejects_a_req) {
  dealer_socket ours{sides.executor(), announcing()};
  libzmq::socket good{sides.theirs(), ZMQ_REP};
  libzmq::socket bad{sides.theirs(), ZMQ_REQ};
  libzmq::monitor events{sides.theirs(), bad};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  const auto ask = [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 2; ++i) {
      message m{"", "good"};
      co_await ours.async_send(std::move(m), use_awaitable);
      const message back = co_await ours.async_receive(use_awaitable);
      EXPECT_EQ(to_parts(back), (parts{"", "good"}));
    }
  };
  sides.run(ask, [&] {
    bad.connect(at);
    events.wait(turned_away);
    good.connect(at);
    for (int i = 0; i < 2; ++i) {
      good.send(good.receive());
    }
  });
}

// Accepts every peer but the one with this routing id.
class doorman final : public authenticator {
public:
  explicit doorman(std::string refused) : refused_{std::move(refused)} {}

  void authenticate(const peer_info& peer, const credentials&, handler done) override {
    if (peer.routing_id == refused_) {
      std::move(done)(authenticator::refusal{.status = "400"});
    } else {
      std::move(done)(principal{.user_id = "libzmq"});
    }
  }

private:
  std::string refused_;
};

TEST_F(refusal, our_authenticator_decides_about_libzmq_peers) {
  auto options = announcing();
  options.authenticator = std::make_shared<doorman>("bad");
  router_socket ours{sides.executor(), options};
  libzmq::socket good{sides.theirs(), ZMQ_DEALER};
  libzmq::socket bad{sides.theirs(), ZMQ_DEALER};
  bad.set(ZMQ_ROUTING_ID, "bad");
  libzmq::monitor events{sides.theirs(), bad};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  sides.run([&] { return echo_to_the_good_peer(ours, 2); },
            [&] {
              bad.connect(at);
              bad.send({"bad"});
              events.wait(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH);
              good.connect(at);
              expect_served(good);
              expect_served(good);
            });
  EXPECT_EQ(ours.peers().at(0).info.user_id, "libzmq");
}

// A DEALER that connects to a peer that rejects it keeps its messages for a peer that accepts it.
TEST_F(refusal, our_messages_stay_for_the_next_good_peer) {
  socket_options options;
  options.reconnect.refused_maximum = 100ms;
  dealer_socket ours{sides.executor(), options};
  std::string at;
  {
    libzmq::socket bad{sides.theirs(), ZMQ_ROUTER};
    plain_server(bad);
    libzmq::monitor events{sides.theirs(), bad};
    at = bad.bind();
    ours.connect(at);
    message m{"for whom it may concern"};
    EXPECT_EQ(ours.try_send(std::move(m)), send_status::queued);
    sides.run_theirs([&] {
      events.wait(turned_away);
      events.wait(turned_away);
      zmq_unbind(bad.handle(), at.c_str());
      events.wait(ZMQ_EVENT_CLOSED);
    });
  }
  libzmq::socket good{sides.theirs(), ZMQ_ROUTER};
  good.bind(at);
  sides.run_theirs(
      [&] { EXPECT_EQ(without_first(good.receive()), parts{"for whom it may concern"}); });
}

}  // namespace
}  // namespace zmtp::test
