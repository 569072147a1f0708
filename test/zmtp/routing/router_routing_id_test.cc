// ROUTER's names for its peers: announced, generated, rejected, handed over.

#include "test/support/bytes.h"
#include "test/support/routing.h"
#include "zmtp/routing/router_state.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace zmtp {
namespace {

using test::announcing;
using test::attach_new;
using test::attach_to;
using test::bytes;

socket_options handing_over() {
  socket_options options;
  options.handover = true;
  return options;
}

void expect_welcome(const socket_state::verdict& v) {
  EXPECT_EQ(v.refused, error_code{});
  EXPECT_EQ(v.probe, std::nullopt);
  EXPECT_EQ(v.evict, std::nullopt);
}

TEST(router_routing_id, a_peer_is_found_by_its_routing_id) {
  router_state state{{}};
  const auto a = attach_new(state, "A");
  const auto b = attach_new(state, std::string(255, 'b'));
  EXPECT_EQ(state.find_routing_id("A"), a);
  EXPECT_EQ(state.find_routing_id(std::string(255, 'b')), b);
  EXPECT_EQ(state.find(a)->info.routing_id, "A");
  EXPECT_EQ(state.find_routing_id("C"), std::nullopt);
}

TEST(router_routing_id, is_generated_for_a_peer_without_one) {  // Z-12
  router_state state{{}};
  const auto a = attach_new(state, "", 0x0a0b0c0d);
  const auto b = attach_new(state, "", 0x01010101);
  EXPECT_EQ(state.find(a)->info.routing_id, bytes("00 0a 0b 0c 0d"));
  EXPECT_EQ(state.find(b)->info.routing_id, bytes("00 0a 0b 0c 0e"));
  EXPECT_EQ(state.find_routing_id(bytes("00 0a 0b 0c 0e")), b);
}

TEST(router_routing_id, an_endpoint_adds_up_the_counters_of_all_its_peers) {
  router_state state{{}};
  const auto first = state.open_pipe(true).id;
  attach_to(state, first, "first");
  EXPECT_EQ(state.send(first, {"1"}), send_status::queued);
  state.count_read(state.find(first)->counters, 100);
  test::peer_sends(state, first, {"received before"});
  test::peer_sends(state, first, {"received after"});
  test::peer_sends(state, first, {"received last"});
  message m;
  ASSERT_TRUE(state.receive(m));
  state.on_detached(*state.find(first));

  const auto second = attach_to(state, first, "second");
  ASSERT_NE(second, first);
  const auto& counters = state.find(second)->counters;
  EXPECT_EQ(counters.messages_received, 1U);
  EXPECT_EQ(counters.messages_sent, 1U);
  EXPECT_EQ(counters.bytes_received, 100U);
  EXPECT_EQ(state.send(second, {"2"}), send_status::queued);
  // Messages of the first peer are received later.
  ASSERT_TRUE(state.receive(m));
  EXPECT_EQ(m, (message{"first", "received after"}));
  EXPECT_EQ(counters.messages_received, 2U);
  state.on_detached(*state.find(second));

  const auto third = attach_to(state, second, "third");
  ASSERT_TRUE(state.receive(m));
  EXPECT_EQ(m, (message{"first", "received last"}));
  EXPECT_EQ(state.find(first), nullptr);
  test::peer_sends(state, third, {"of the third"});
  ASSERT_TRUE(state.receive(m));
  EXPECT_EQ(state.find(third)->counters.messages_received, 4U);
  EXPECT_EQ(state.find(third)->counters.messages_sent, 2U);
  EXPECT_EQ(state.counters().messages_received, 4U);
}

TEST(router_routing_id, with_a_leading_zero_is_replaced) {  // Z-12
  router_state state{{}};
  for (const auto& announced : {bytes("00"), bytes("00 'A'"), bytes("00 00 00 00 05")}) {
    expect_welcome(state.on_admission({}, announcing(announced)));
    const auto id = attach_new(state, announced, 0xff);
    const auto& made_up = state.find(id)->info.routing_id;
    EXPECT_EQ(made_up.size(), 5U);
    EXPECT_EQ(made_up.front(), '\0');
    EXPECT_NE(made_up, announced);
    EXPECT_EQ(state.find_routing_id(made_up), id);
    EXPECT_EQ(state.find_routing_id(announced), std::nullopt);
  }
}

TEST(router_routing_id, a_peer_cannot_take_a_generated_id_by_announcing_it) {
  router_state state{{}};
  const auto first = attach_new(state, "", 5);
  const auto made_up = state.find(first)->info.routing_id;
  expect_welcome(state.on_admission({}, announcing(made_up)));
  const auto second = attach_new(state, made_up, 5);
  EXPECT_EQ(state.find_routing_id(made_up), first);
  EXPECT_NE(state.find(second)->info.routing_id, made_up);
}

TEST(router_routing_id, a_second_peer_with_the_same_id_is_rejected) {  // Z-12
  router_state state{{}};
  const auto holder = attach_new(state, "A");
  const auto verdict = state.on_admission({}, announcing("A"));
  EXPECT_EQ(verdict.refused, errc::duplicate_routing_id);
  EXPECT_EQ(verdict.probe, holder);
  EXPECT_EQ(verdict.evict, std::nullopt);
  expect_welcome(state.on_admission({}, announcing("a")));
  expect_welcome(state.on_admission({}, announcing("")));
  expect_welcome(state.on_admission({}, announcing("AA")));
}

TEST(router_routing_id, is_free_again_when_its_owner_disconnects) {
  router_state state{{}};
  const auto holder = attach_new(state, "A");
  test::peer_sends(state, holder, {"unread"});
  state.on_detached(*state.find(holder));
  // Although what the holder sent is still to be received.
  ASSERT_NE(state.find(holder), nullptr);
  EXPECT_EQ(state.find_routing_id("A"), std::nullopt);
  expect_welcome(state.on_admission({}, announcing("A")));
  const auto next = attach_new(state, "A");
  EXPECT_EQ(state.find_routing_id("A"), next);
  routed_message last;
  ASSERT_TRUE(state.receive(last));
  EXPECT_EQ(last.peer, holder);
  EXPECT_EQ(state.find(holder), nullptr);
  EXPECT_EQ(state.find_routing_id("A"), next) << "the end of the old peer is not the new one's";
}

TEST(router_routing_id, with_handover_the_new_peer_replaces_the_old_one) {  // Z-12
  router_state state{handing_over()};
  const auto holder = attach_new(state, "A");
  const auto verdict = state.on_admission({}, announcing("A"));
  EXPECT_EQ(verdict.refused, error_code{});
  EXPECT_EQ(verdict.probe, std::nullopt);
  EXPECT_EQ(verdict.evict, holder);
  const auto newcomer = attach_new(state, "A");
  EXPECT_EQ(state.find_routing_id("A"), newcomer);
  state.on_detached(*state.find(holder));
  EXPECT_EQ(state.find_routing_id("A"), newcomer);
  EXPECT_EQ(state.send(holder, {"m"}), send_status::unknown);
  EXPECT_EQ(state.send(newcomer, {"m"}), send_status::queued);
}

TEST(router_routing_id, with_handover_an_id_stays_with_its_key_or_user) {
  const auto peer = [](const char* mechanism, std::optional<unsigned char> key, const char* user) {
    auto info = announcing("A");
    info.mechanism = mechanism;
    info.user_id = user;
    if (key) {
      info.public_key.emplace().fill(std::byte{*key});
    }
    return info;
  };
  const struct {
    peer_info holder;
    peer_info newcomer;
    bool takes_over;
  } cases[] = {
      {peer("CURVE", 1, "a"), peer("CURVE", 1, "b"), true},
      {peer("CURVE", 1, "a"), peer("CURVE", 2, "a"), false},
      {peer("CURVE", 1, "a"), peer("NULL", {}, "a"), false},
      {peer("NULL", {}, ""), peer("CURVE", 1, ""), false},
      {peer("PLAIN", {}, "a"), peer("PLAIN", {}, "a"), true},
      {peer("PLAIN", {}, "a"), peer("PLAIN", {}, "b"), false},
      {peer("NULL", {}, "a"), peer("NULL", {}, "a"), true},
      {peer("NULL", {}, "a"), peer("NULL", {}, "b"), false},
  };
  for (const auto& [holder, newcomer, takes_over] : cases) {
    SCOPED_TRACE(holder.mechanism + " " + newcomer.mechanism);
    router_state state{handing_over()};
    auto& p = state.open_pipe(false);
    state.on_attached(p, holder, 1);
    const auto verdict = state.on_admission({}, newcomer);
    if (takes_over) {
      EXPECT_EQ(verdict.refused, error_code{});
      EXPECT_EQ(verdict.evict, p.id);
    } else {
      EXPECT_EQ(verdict.refused, errc::duplicate_routing_id);
      EXPECT_EQ(verdict.evict, std::nullopt);
    }
  }
}

TEST(router_routing_id, an_endpoint_that_reconnects_is_not_a_duplicate_of_itself) {
  for (const auto& options : {socket_options{}, handing_over()}) {
    router_state state{options};
    auto& p = state.open_pipe(true);
    for (int connection = 0; connection < 3; ++connection) {
      expect_welcome(state.on_admission(p.id, announcing("A")));
      state.on_attached(p, announcing("A"), 1);
      EXPECT_EQ(state.find_routing_id("A"), p.id);
      expect_welcome(state.on_admission(p.id, announcing("A")));
      const auto verdict = state.on_admission({}, announcing("A"));
      EXPECT_EQ(verdict.refused ? verdict.probe : verdict.evict, p.id);
      state.on_detached(p);
      // Messages to the endpoint wait for the next connection.
      EXPECT_EQ(state.find_routing_id("A"), p.id);
    }
  }
}

TEST(router_routing_id, the_id_of_a_disconnected_endpoint_goes_to_a_new_peer) {
  router_state state{{}};
  auto& p = state.open_pipe(true);
  state.on_attached(p, announcing("A"), 1);
  state.on_detached(p);
  expect_welcome(state.on_admission({}, announcing("A")));
  const auto newcomer = attach_new(state, "A");
  EXPECT_EQ(state.find_routing_id("A"), newcomer);
  const auto verdict = state.on_admission(p.id, announcing("A"));
  EXPECT_EQ(verdict.refused, errc::duplicate_routing_id);
  EXPECT_EQ(verdict.probe, newcomer);
  state.close_pipe(p);
  EXPECT_EQ(state.find_routing_id("A"), newcomer);
}

TEST(router_routing_id, an_endpoint_may_have_another_peer_after_a_reconnect) {
  router_state state{{}};
  const auto first = test::attach_to(state, state.open_pipe(true).id, "A");
  state.on_detached(*state.find(first));
  const auto next = test::attach_to(state, first, "B");
  EXPECT_EQ(state.find_routing_id("A"), std::nullopt);
  EXPECT_EQ(state.find_routing_id("B"), next);
  expect_welcome(state.on_admission({}, announcing("A")));
  state.close_pipe(*state.find(next));
  EXPECT_EQ(state.find_routing_id("B"), std::nullopt);
  expect_welcome(state.on_admission({}, announcing("B")));
}

TEST(router_routing_id, generated_ids_are_all_different) {
  router_state state{{}};
  std::set<std::string> seen;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const auto id = attach_new(state, "", i * 7);
    EXPECT_TRUE(seen.insert(state.find(id)->info.routing_id).second);
    if (i % 3 == 0) {
      state.on_detached(*state.find(id));
    }
  }
}

}  // namespace
}  // namespace zmtp
