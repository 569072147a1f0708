#include "zmtp/routing/router_state.h"

#include "test/support/routing.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::announcing;
using test::attach_new;
using test::framed;
using test::peer_sends;
using test::write;
using news = std::vector<std::string>;

class router : public testing::Test {
protected:
  static socket_options announcing_peers() {
    socket_options options;
    options.announce_peers = true;
    options.send_mark.messages = 3;
    return options;
  }
  peer_id attach(const std::string& name) {
    const auto id = attach_new(state, name);
    names[id] = name;
    return id;
  }
  news received() {
    return test::receive_all(state, [this](peer_id id) { return names.at(id); });
  }

  router_state state{announcing_peers()};
  std::map<peer_id, std::string> names;
};

TEST_F(router, attach_and_detach_are_received_in_order_with_messages) {
  const auto a = attach("A");
  peer_sends(state, a, {"1"});
  const auto b = attach("B");
  peer_sends(state, a, {"2", "two"});
  state.on_detached(*state.find(a));
  EXPECT_EQ(received(),
            (news{"A: attached", "B: attached", "A: [1]", "A: [2] [two]", "A: detached"}));
  peer_sends(state, b, {"3"});
  EXPECT_EQ(received(), news{"B: [3]"});
  state.on_detached(*state.find(b));
  EXPECT_EQ(received(), news{"B: detached"});
  EXPECT_EQ(state.counters().messages_received, 3U);
}

TEST_F(router, peer_notices_are_off_by_default) {
  router_state quiet{{}};
  const auto a = attach_new(quiet, "A");
  EXPECT_FALSE(quiet.readable());
  peer_sends(quiet, a, {"1"});
  quiet.on_detached(*quiet.find(a));
  EXPECT_EQ(test::receive_all(quiet, [](peer_id) { return "A"; }), news{"A: [1]"});
}

TEST_F(router, each_connection_of_an_endpoint_is_announced) {
  auto& p = state.open_pipe(true);
  names[p.id] = "E";
  for (int connection = 0; connection < 2; ++connection) {
    state.on_attached(p, announcing("E"), 1);
    peer_sends(state, p.id, {std::to_string(connection)});
    state.on_detached(p);
  }
  EXPECT_EQ(received(),
            (news{"E: attached", "E: [0]", "E: detached", "E: attached", "E: [1]", "E: detached"}));
  EXPECT_EQ(state.find(p.id), &p);
}

TEST_F(router, receives_from_each_peer_in_turn_and_names_the_sender) {
  const auto a = attach("A");
  const auto b = attach("B");
  EXPECT_EQ(received(), (news{"A: attached", "B: attached"}));
  for (int i = 0; i < 3; ++i) {
    peer_sends(state, a, {std::to_string(i)});
  }
  peer_sends(state, b, {"b"});
  EXPECT_EQ(received(), (news{"A: [0]", "B: [b]", "A: [1]", "A: [2]"}));
}

TEST_F(router, an_empty_receive_leaves_its_argument_unchanged) {
  routed_message before{routed_message::kind::detached, {7, 7}, {"before"}};
  EXPECT_FALSE(state.receive(before));
  EXPECT_EQ(before.what, routed_message::kind::detached);
  EXPECT_EQ(before.peer, (peer_id{7, 7}));
  EXPECT_EQ(before.content, message{"before"});
}

TEST_F(router, sends_to_the_peer_that_is_named) {
  const auto a = attach("A");
  const auto b = attach("B");
  EXPECT_EQ(state.send(b, {"to", "b"}), send_status::queued);
  EXPECT_EQ(write(state, a), "");
  EXPECT_EQ(write(state, b), framed({"to", "b"}));
}

TEST_F(router, a_peer_at_its_mark_is_full_and_others_are_not) {
  const auto a = attach("A");
  const auto b = attach("B");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(state.writable(a));
    EXPECT_EQ(state.send(a, {"m"}), send_status::queued);
  }
  EXPECT_FALSE(state.writable(a));
  message m{"kept"};
  EXPECT_EQ(state.send(a, std::move(m)), send_status::full);
  EXPECT_EQ(m, message{"kept"});  // NOLINT: that is what is tested
  EXPECT_TRUE(state.writable(b));
  EXPECT_EQ(state.send(b, {"m"}), send_status::queued);
  EXPECT_EQ(write(state, a).size(), 9U);
  EXPECT_EQ(state.send(a, {"m"}), send_status::queued);
}

TEST_F(router, the_byte_mark_applies_to_each_peer) {
  socket_options options;
  options.send_mark = {.messages = {}, .bytes = 1000};
  router_state narrow{options};
  const auto a = attach_new(narrow, "A");
  const auto b = attach_new(narrow, "B");
  EXPECT_EQ(narrow.send(a, {std::string(2000, 'x')}), send_status::queued);
  EXPECT_EQ(narrow.send(a, {"x"}), send_status::full);
  EXPECT_EQ(narrow.send(b, {"x"}), send_status::queued);
}

TEST_F(router, a_disconnected_peer_is_unknown_and_the_message_is_kept) {
  const auto a = attach("A");
  peer_sends(state, a, {"unread"});
  state.on_detached(*state.find(a));
  message m{"kept"};
  EXPECT_FALSE(state.writable(a));
  EXPECT_EQ(state.send(a, std::move(m)), send_status::unknown);
  EXPECT_EQ(m, message{"kept"});  // NOLINT: that is what is tested
  EXPECT_EQ(received(), (news{"A: attached", "A: [unread]", "A: detached"}));
  EXPECT_EQ(state.send(a, std::move(m)), send_status::unknown);
  EXPECT_EQ(state.send({}, {"m"}), send_status::unknown);
  EXPECT_EQ(state.send({1000, 1}, {"m"}), send_status::unknown);
}

TEST_F(router, a_stale_id_never_finds_a_later_peer) {
  std::vector<peer_id> stale;
  for (int i = 0; i < 50; ++i) {
    const auto id = attach("A" + std::to_string(i));
    for (const auto old : stale) {
      ASSERT_NE(id, old);
      ASSERT_EQ(state.send(old, {"m"}), send_status::unknown);
      ASSERT_EQ(state.find(old), nullptr);
    }
    state.on_detached(*state.find(id));
    EXPECT_EQ(received().size(), 2U);
    stale.push_back(id);
  }
}

TEST_F(router, drops_are_counted_by_cause) {
  const auto a = attach("A");
  state.count_drop(a, send_status::queued);
  state.count_drop(a, send_status::full);
  EXPECT_EQ(state.find(a)->counters.dropped_full, 1U);
  state.count_drop({.slot = 77}, send_status::unknown);
  state.count_drop({.slot = 77}, send_status::unknown);
  EXPECT_EQ(state.send(a, {"m"}), send_status::queued);
  EXPECT_EQ(state.send(a, {"m"}), send_status::queued);
  EXPECT_EQ(write(state, a, 4).size(), 4U);
  state.on_detached(*state.find(a));
  EXPECT_EQ(state.counters().dropped_full, 1U);
  EXPECT_EQ(state.counters().dropped_unknown, 2U);
  EXPECT_EQ(state.counters().dropped_detached, 1U);
  EXPECT_EQ(state.counters().messages_sent, 2U);
}

TEST_F(router, an_endpoint_keeps_its_messages_over_connections) {
  auto& p = state.open_pipe(true);
  EXPECT_EQ(state.send(p.id, {"early"}), send_status::queued);
  state.on_attached(p, announcing("E"), 1);
  EXPECT_EQ(state.send(p.id, {"late"}), send_status::queued);
  EXPECT_EQ(write(state, p.id, 9).size(), 9U);
  state.on_detached(p);
  EXPECT_EQ(state.send(p.id, {"3"}), send_status::queued);
  state.on_attached(p, announcing("E"), 1);
  EXPECT_EQ(write(state, p.id), framed({"late"}) + framed({"3"}));
  EXPECT_EQ(state.counters().dropped_detached, 0U);
}

TEST_F(router, messages_queued_for_an_endpoint_do_not_go_to_another_peer_there) {
  const auto endpoint = state.open_pipe(true).id;
  EXPECT_EQ(state.send(endpoint, {"early"}), send_status::queued);
  EXPECT_EQ(test::attach_to(state, endpoint, "A"), endpoint);
  names[endpoint] = "A";
  EXPECT_EQ(write(state, endpoint), framed({"early"})) << "for the first peer there";
  peer_sends(state, endpoint, {"1"});
  EXPECT_EQ(state.send(endpoint, {"begun"}), send_status::queued);
  EXPECT_EQ(write(state, endpoint, 3).size(), 3U);
  EXPECT_EQ(state.send(endpoint, {"queued"}), send_status::queued);
  state.on_detached(*state.find(endpoint));
  EXPECT_EQ(state.send(endpoint, {"sent meanwhile"}), send_status::queued);
  const auto other = test::attach_to(state, endpoint, "B");
  EXPECT_NE(other, endpoint);
  names[other] = "B";
  EXPECT_TRUE(state.find(other)->durable);
  EXPECT_EQ(write(state, other), "");
  EXPECT_EQ(state.counters().dropped_detached, 3U);
  EXPECT_EQ(state.send(endpoint, {"late"}), send_status::unknown);
  peer_sends(state, other, {"2"});
  EXPECT_EQ(received(), (news{"A: attached", "B: attached", "A: [1]", "B: [2]", "A: detached"}));
  EXPECT_EQ(state.find(endpoint), nullptr);
  EXPECT_EQ(state.send(other, {"to B"}), send_status::queued);
  state.on_detached(*state.find(other));
  EXPECT_EQ(test::attach_to(state, other, "B"), other);
  EXPECT_EQ(write(state, other), framed({"to B"}));
}

TEST_F(router, a_peer_without_routing_id_is_never_known_again) {
  const auto first = test::attach_to(state, state.open_pipe(true).id);
  const auto name = state.find(first)->info.routing_id;
  EXPECT_EQ(state.send(first, {"reply"}), send_status::queued);
  state.on_detached(*state.find(first));
  // Nor if it announces the generated id.
  const auto second = test::attach_to(state, first, name);
  EXPECT_NE(second, first);
  EXPECT_EQ(write(state, second), "");
  EXPECT_EQ(state.counters().dropped_detached, 1U);
  EXPECT_EQ(state.find_routing_id(name), second) << "as with libzmq it names the endpoint";
  state.on_detached(*state.find(second));
  const auto third = test::attach_to(state, second, "A");
  EXPECT_EQ(state.find_routing_id(name), std::nullopt);
  state.on_detached(*state.find(third));
  const auto fourth = test::attach_to(state, third);
  EXPECT_EQ(state.find_routing_id("A"), std::nullopt);
  EXPECT_NE(state.find(fourth)->info.routing_id, name);
}

TEST_F(router, a_paused_peer_is_not_received_from_until_it_is_resumed) {
  const auto a = attach("A");
  const auto b = attach("B");
  EXPECT_EQ(received().size(), 2U);
  peer_sends(state, a, {"1"});
  state.pause(*state.find(a));
  peer_sends(state, a, {"2"});
  peer_sends(state, b, {"b"});
  EXPECT_EQ(received(), news{"B: [b]"});
  EXPECT_FALSE(state.readable());
  state.resume(*state.find(a));
  EXPECT_TRUE(state.readable());
  EXPECT_EQ(received(), (news{"A: [1]", "A: [2]"}));
  state.pause(*state.find(a));
  state.resume(*state.find(a));
  EXPECT_FALSE(state.readable());
}

TEST_F(router, a_paused_peer_that_disconnects_is_received_to_its_end) {
  const auto a = attach("A");
  EXPECT_EQ(received(), news{"A: attached"});
  state.pause(*state.find(a));
  peer_sends(state, a, {"1"});
  state.on_detached(*state.find(a));
  EXPECT_EQ(received(), (news{"A: [1]", "A: detached"}));
  EXPECT_EQ(state.find(a), nullptr);
}

TEST_F(router, a_disconnected_peer_cannot_be_paused) {
  const auto a = attach("A");
  EXPECT_EQ(received(), news{"A: attached"});
  peer_sends(state, a, {"1"});
  peer_sends(state, a, {"2"});
  state.on_detached(*state.find(a));
  routed_message first;
  ASSERT_TRUE(state.receive(first));
  state.pause(*state.find(a));
  EXPECT_EQ(received(), (news{"A: [2]", "A: detached"}));
  EXPECT_EQ(state.find(a), nullptr);
}

TEST_F(router, a_paused_endpoint_stays_paused_over_connections) {
  auto& p = state.open_pipe(true);
  names[p.id] = "E";
  state.on_attached(p, announcing("E"), 1);
  state.pause(p);
  peer_sends(state, p.id, {"1"});
  state.on_detached(p);
  state.on_attached(p, announcing("E"), 1);
  EXPECT_EQ(received(), news{});
  state.resume(p);
  EXPECT_EQ(received(), (news{"E: attached", "E: [1]", "E: detached", "E: attached"}));
}

}  // namespace
}  // namespace zmtp
