// node_options::peer_key: only the owner of the key can send the peer's state.
#include "test/bstar/node_fixture.h"
#include "test/support/fixed_random.h"
#include "zmtp/curve/key.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <memory>
#include <string_view>

namespace bstar {
namespace {

using zmtp::test::fixed_random;

const auto own_keys = zmtp::make_key_pair(fixed_random(100));
const auto peer_keys = zmtp::make_key_pair(fixed_random(200));
const auto other_keys = zmtp::make_key_pair(fixed_random(300));

class pinned_peers : public node_test {
protected:
  // The node admits every key, so that only peer_key decides.
  node_options admitting(role as) {
    node_options options{.pair = quick(as), .epoch_file = epoch_path(as)};
    options.peer_socket.security = zmtp::curve_server({.keys = own_keys, .allow_any_client = true});
    return options;
  }
  std::unique_ptr<zmtp::xpub_socket> publisher(side& heard_by, const zmtp::curve_key_pair& keys) {
    zmtp::socket_options options;
    options.security = zmtp::curve_client({.server_key = own_keys.public_key, .keys = keys});
    auto made = std::make_unique<zmtp::xpub_socket>(executor(), options);
    heard_by.it->connect(made->bind("tcp://127.0.0.1:*").to_string());
    zmtp::routed_message subscription;
    run_until([&] { return made->try_receive(subscription); });
    return made;
  }
  static void say(zmtp::xpub_socket& from, std::string_view what) {
    EXPECT_EQ(from.try_send(zmtp::message{what}), zmtp::send_status::queued);
  }
};

// A state of the active peer makes the node passive. A forged one must not.
TEST_F(pinned_peers, a_forged_state_does_not_count) {
  auto options = admitting(role::primary);
  options.peer_key = peer_keys.public_key;
  start(primary_, options);
  const auto forger = publisher(primary_, other_keys);
  const auto peer = publisher(primary_, peer_keys);
  say(*forger, "3");
  run_until([&] { return primary_.it->status().states_refused == 1; });
  EXPECT_EQ(primary_.it->status().states_received, 0U);
  EXPECT_FALSE(primary_.it->status().peer);
  EXPECT_NE(primary_.it->status().now, state::passive);

  say(*peer, "3");
  await(primary_, state::passive);
  EXPECT_EQ(primary_.it->status().states_received, 1U);
}

// The same messages without the option, which shows that the test above can fail.
TEST_F(pinned_peers, without_the_key_every_admitted_peer_counts) {
  start(primary_, admitting(role::primary));
  const auto forger = publisher(primary_, other_keys);
  say(*forger, "3");
  await(primary_, state::passive);
  EXPECT_EQ(primary_.it->status().states_refused, 0U);
}

TEST_F(pinned_peers, a_peer_without_curve_does_not_count) {
  node_options options{.pair = quick(role::primary), .epoch_file = epoch_path(role::primary)};
  options.peer_key = peer_keys.public_key;
  start(primary_, options);
  zmtp::xpub_socket forger{executor()};
  primary_.it->connect(forger.bind("tcp://127.0.0.1:*").to_string());
  zmtp::routed_message subscription;
  run_until([&] { return forger.try_receive(subscription); });
  say(forger, "3");
  run_until([&] { return primary_.it->status().states_refused == 1; });
  EXPECT_EQ(primary_.it->status().states_received, 0U);
}

}  // namespace
}  // namespace bstar
