// ROUTER with the routing id as the first part of a message, which is how libzmq's has it.

#include "test/support/routing.h"
#include "zmtp/routing/router_state.h"

#include <gtest/gtest.h>

#include <string>

namespace zmtp {
namespace {

using test::attach_new;
using test::framed;
using test::peer_sends;
using test::write;

constexpr auto report = if_full::report;
constexpr auto drop = if_full::drop;

class router_envelope : public testing::Test {
protected:
  static socket_options small(bool mandatory = false) {
    socket_options options;
    options.send_mark.messages = 1;
    options.mandatory = mandatory;
    options.announce_peers = true;
    return options;
  }
  static message received(router_state& from) {
    message m;
    EXPECT_TRUE(from.receive(m));
    return m;
  }

  router_state state{small()};
  router_state mandatory{small(true)};
};

TEST_F(router_envelope, received_messages_begin_with_the_routing_id_of_their_sender) {
  const auto a = attach_new(state, "A");
  const auto b = attach_new(state, "B");
  peer_sends(state, a, {"1", "one"});
  peer_sends(state, b, {""});
  peer_sends(state, a, {"2"});
  EXPECT_EQ(received(state), (message{"A", "1", "one"}));
  EXPECT_EQ(received(state), (message{"B", ""}));
  EXPECT_EQ(received(state), (message{"A", "2"}));
  message none;
  EXPECT_FALSE(state.receive(none));
  EXPECT_EQ(state.counters().messages_received, 3U);
}

TEST_F(router_envelope, the_last_message_of_a_disconnected_peer_has_its_routing_id) {
  router_state quiet{{}};
  const auto a = attach_new(quiet, "A");
  peer_sends(quiet, a, {"last"});
  quiet.on_detached(*quiet.find(a));
  EXPECT_EQ(received(quiet), (message{"A", "last"}));
  EXPECT_EQ(quiet.find(a), nullptr);
}

TEST_F(router_envelope, a_made_up_routing_id_leads_back) {
  const auto a = attach_new(state);
  peer_sends(state, a, {"question"});
  auto m = received(state);
  EXPECT_EQ(m.front().size(), 5U);
  EXPECT_EQ(state.send(std::move(m), report), send_status::queued);
  EXPECT_EQ(write(state, a), framed({"question"}));
}

TEST_F(router_envelope, a_message_too_long_for_a_routing_id_is_dropped_and_counted) {
  const auto a = attach_new(state, "A");
  message full;
  for (std::size_t i = 0; i < message::max_parts; ++i) {
    full.push_back("");
  }
  peer_sends(state, a, std::move(full));
  peer_sends(state, a, {"next"});
  EXPECT_EQ(received(state), (message{"A", "next"}));
  EXPECT_EQ(state.counters().dropped_unexpected, 1U);
  EXPECT_EQ(state.counters().messages_received, 1U);
}

TEST_F(router_envelope, sent_messages_go_to_the_peer_with_the_first_part_as_id) {
  const auto a = attach_new(state, "A");
  const auto b = attach_new(state, "B");
  EXPECT_EQ(state.send({"B", "", "to b"}, report), send_status::queued);
  EXPECT_EQ(state.send({"A", "to a"}, report), send_status::queued);
  EXPECT_EQ(write(state, a), framed({"to a"}));
  EXPECT_EQ(write(state, b), framed({"", "to b"}));
}

TEST_F(router_envelope, a_message_with_only_a_routing_id_is_dropped) {
  const auto a = attach_new(state, "A");
  EXPECT_EQ(state.send({"A"}, report), send_status::queued);
  EXPECT_EQ(write(state, a), "");
  EXPECT_EQ(state.counters().dropped_unexpected, 1U);
}

TEST_F(router_envelope, a_message_to_an_unknown_peer_is_dropped_and_counted) {
  EXPECT_EQ(state.send({"A", "m"}, report), send_status::queued);
  EXPECT_EQ(state.counters().dropped_unknown, 1U);
}

TEST_F(router_envelope, a_message_to_a_full_peer_is_dropped_only_after_a_write) {
  const auto a = attach_new(state, "A");
  EXPECT_EQ(state.send({"A", "1"}, report), send_status::queued);
  message second{"A", "2"};
  EXPECT_EQ(state.send(std::move(second), report), send_status::full);
  EXPECT_EQ(second, (message{"A", "2"}));  // NOLINT: moved from only if queued
  EXPECT_EQ(state.counters().dropped_full, 0U);
  EXPECT_EQ(state.send(std::move(second), drop), send_status::queued);
  EXPECT_EQ(state.counters().dropped_full, 1U);
  EXPECT_EQ(write(state, a), framed({"1"}));
}

TEST_F(router_envelope, if_delivery_is_mandatory_nothing_is_dropped) {
  attach_new(mandatory, "A");
  EXPECT_EQ(mandatory.send({"A", "1"}, drop), send_status::queued);
  message second{"A", "2"};
  EXPECT_EQ(mandatory.send(std::move(second), drop), send_status::full);
  EXPECT_EQ(second, (message{"A", "2"}));  // NOLINT: moved from only if queued
  message third{"B", "3"};
  EXPECT_EQ(mandatory.send(std::move(third), drop), send_status::unknown);
  EXPECT_EQ(third, (message{"B", "3"}));  // NOLINT: likewise
  EXPECT_EQ(mandatory.counters().dropped_full + mandatory.counters().dropped_unknown, 0U);
}

}  // namespace
}  // namespace zmtp
