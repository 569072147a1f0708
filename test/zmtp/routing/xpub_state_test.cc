// XPUB: its notices of subscriptions, their order, and the receivers of its messages (RFC 29,
// protocols A5).

#include "zmtp/routing/xpub_state.h"

#include "test/support/routing.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using namespace std::string_literals;
using notices = xpub_options::notices;
using test::attach_new;
using test::content_of;
using test::parts;
using test::peer_sends;

using texts = std::vector<std::string>;

socket_options telling(notices notified, bool announce = false) {
  socket_options options;
  options.xpub.notifications = notified;
  options.announce_peers = announce;
  return options;
}

socket_options by_hand() {
  socket_options options;
  options.xpub.manual = true;
  return options;
}

// Peers are called a, b, c … in the order that they come.
class xpub_user {
public:
  explicit xpub_user(const socket_options& options = {}) : state{options} {}

  peer_id arrive() {
    const auto id = attach_new(state);
    names_.emplace(id, static_cast<char>('a' + static_cast<int>(names_.size())));
    return id;
  }
  void leave(peer_id id) { state.on_detached(*state.find(id)); }
  void subscribe(peer_id id, std::string_view topic) {
    state.on_subscription(*state.find(id), true, topic);
  }
  void cancel(peer_id id, std::string_view topic) {
    state.on_subscription(*state.find(id), false, topic);
  }
  // "a +topic", "a -topic", "a: [part]", "a: attached".
  texts received() {
    auto all = test::receive_all(state, [this](peer_id id) { return std::string{names_.at(id)}; });
    for (auto& text : all) {
      if (text.starts_with(text.substr(0, 1) + ": [\1") && text.find("] [") == text.npos) {
        text = text.substr(0, 1) + " +" + text.substr(5, text.size() - 6);
      } else if (text.starts_with(text.substr(0, 1) + ": [\0"s) && text.find("] [") == text.npos) {
        text = text.substr(0, 1) + " -" + text.substr(5, text.size() - 6);
      }
    }
    return all;
  }
  void send(message m) { EXPECT_EQ(state.send(std::move(m)), send_status::queued); }
  std::vector<parts> taken(peer_id id) {
    state.end_turn();
    return content_of(test::write(state, id)).messages;
  }

  xpub_state state;

private:
  std::map<peer_id, char> names_;
};

TEST(xpub_state, announces_the_configured_type) {
  EXPECT_EQ(xpub_state{{}}.type(), socket_type::xpub);
  socket_options options;
  options.xpub.announce_as_pub = true;
  options.announce_peers = true;
  xpub_user user{options};
  EXPECT_EQ(user.state.type(), socket_type::pub);
  const auto a = user.arrive();
  user.subscribe(a, "A");
  EXPECT_EQ(user.received(), (texts{"a: attached", "a +A"})) << "the user has an XPUB";
}

TEST(xpub_state, reports_the_first_and_the_last_of_a_topic) {
  xpub_user user;
  const auto a = user.arrive();
  const auto b = user.arrive();
  user.subscribe(a, "A");
  user.subscribe(a, "A");
  user.subscribe(b, "A");
  user.subscribe(b, "");
  EXPECT_EQ(user.received(), (texts{"a +A", "b +"}));
  user.cancel(b, "A");
  user.cancel(b, "never");
  EXPECT_EQ(user.received(), texts{});
  user.cancel(a, "A");
  user.cancel(a, "A");
  EXPECT_EQ(user.received(), texts{"a -A"});
  user.subscribe(b, "A");
  EXPECT_EQ(user.received(), texts{"b +A"}) << "it begins anew";
}

TEST(xpub_state, verbose_reports_every_subscription_and_the_last_end) {
  xpub_user user{telling(notices::subscriptions)};
  const auto a = user.arrive();
  const auto b = user.arrive();
  user.subscribe(a, "A");
  user.subscribe(a, "A");
  EXPECT_EQ(user.received(), (texts{"a +A", "a +A"}));
  user.subscribe(b, "A");
  EXPECT_EQ(user.received(), texts{"b +A"});
  user.cancel(b, "A");
  user.leave(b);
  EXPECT_EQ(user.received(), texts{});
  user.cancel(a, "A");
  EXPECT_EQ(user.received(), texts{"a -A"});
}

TEST(xpub_state, verboser_reports_every_end_too) {
  xpub_user user{telling(notices::all)};
  const auto a = user.arrive();
  const auto b = user.arrive();
  user.subscribe(a, "A");
  user.subscribe(b, "A");
  user.cancel(b, "never");
  user.cancel(b, "A");
  user.subscribe(b, "A");
  EXPECT_EQ(user.received(), (texts{"a +A", "b +A", "b -A", "b +A"}));
  user.leave(b);
  EXPECT_EQ(user.received(), texts{"b -A"});
  user.leave(a);
  EXPECT_EQ(user.received(), texts{"a -A"});
}

// Z-8
TEST(xpub_state, topics_of_a_single_peer_end_before_its_detach) {
  xpub_user user{telling(notices::changes, true)};
  const auto a = user.arrive();
  const auto b = user.arrive();
  for (const auto* topic : {"A", "B", "C"}) {
    user.subscribe(a, topic);
  }
  user.subscribe(b, "B");
  peer_sends(user.state, a, {"last words"});
  user.leave(a);
  EXPECT_EQ(user.received(), (texts{"a: attached", "b: attached", "a +A", "b +B", "a +C",
                                    "a: [last words]", "a -C", "a -A", "a: detached"}))
      << "peers take turns, so that b's is the first of B";
  EXPECT_EQ(user.state.find(a), nullptr);
  user.leave(b);
  EXPECT_EQ(user.received(), (texts{"b -B", "b: detached"}));
}

// The socket reads its queues in turn: it may receive an earlier message later.
TEST(xpub_state, each_topic_begins_before_it_ends_in_any_order_of_receipt) {
  xpub_user user;
  const auto a = user.arrive();
  const auto b = user.arrive();
  for (int i = 0; i < 5; ++i) {
    peer_sends(user.state, a, {"x"});
  }
  user.subscribe(a, "A");
  user.subscribe(b, "A");
  user.leave(a);
  user.leave(b);
  auto all = user.received();
  std::erase(all, "a: [x]");
  EXPECT_EQ(all, (texts{"b +A", "b -A", "a +A", "a -A"}));
}

TEST(xpub_state, other_messages_of_peers_are_received_in_order) {
  xpub_user user;
  const auto a = user.arrive();
  peer_sends(user.state, a, {"hello"});
  user.subscribe(a, "A");
  peer_sends(user.state, a, {""});
  peer_sends(user.state, a, {"\1A", "of two parts"});
  peer_sends(user.state, a, {"\2A"});
  user.cancel(a, "A");
  peer_sends(user.state, a, {"", "\1B"});
  EXPECT_EQ(user.received(), (texts{"a: [hello]", "a +A", "a: []", "a: [\1A] [of two parts]",
                                    "a: [\2A]", "a -A", "a: [] [\1B]"}));
  EXPECT_EQ(user.state.counters().messages_received, 7U);
  EXPECT_EQ(user.state.counters().dropped_unexpected, 0U);
}

TEST(xpub_state, suppressed_notices_are_not_counted_as_received) {
  xpub_user user;
  const auto a = user.arrive();
  const auto b = user.arrive();
  user.subscribe(a, "A");
  user.subscribe(b, "A");
  user.cancel(a, "A");
  EXPECT_EQ(user.received(), texts{"a +A"});
  EXPECT_EQ(user.state.counters().messages_received, 1U);
  EXPECT_EQ(user.state.counters().dropped_unexpected, 0U);
}

TEST(xpub_state, attach_and_detach_are_received_only_if_enabled) {
  xpub_user user;
  const auto a = user.arrive();
  EXPECT_EQ(user.received(), texts{});
  user.leave(a);
  EXPECT_EQ(user.received(), texts{});
  EXPECT_EQ(user.state.find(a), nullptr) << "it is not kept for a user who is not told";
}

TEST(xpub_state, a_plain_receive_gets_only_the_notices) {
  xpub_user user{telling(notices::changes, true)};
  const auto a = user.arrive();
  user.subscribe(a, "A");
  user.leave(a);
  message m;
  ASSERT_TRUE(user.state.receive(m));
  EXPECT_EQ(m.front(), "\1A");
  ASSERT_TRUE(user.state.receive(m));
  EXPECT_EQ(m.front(), "\0A"s);
  EXPECT_FALSE(user.state.receive(m));
}

TEST(xpub_state, subscriptions_apply_before_the_user_receives_the_notice) {
  xpub_user user;
  const auto a = user.arrive();
  user.subscribe(a, "A");
  user.send({"A"});
  EXPECT_EQ(user.taken(a), std::vector<parts>{{"A"}});
}

TEST(xpub_state, an_endpoint_that_reconnects_starts_without_topics) {
  xpub_user user{telling(notices::changes, true)};
  auto& p = user.state.open_pipe(true);
  std::vector<std::string> received;
  const auto name = [](peer_id) { return "e"; };
  for (int i = 0; i < 2; ++i) {
    user.state.on_attached(p, {}, 1);
    user.state.on_subscription(p, true, "A");
    user.state.on_detached(p);
  }
  const texts once{"e: attached", "e: [\1A]", "e: [\0A]"s, "e: detached"};
  auto twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(test::receive_all(user.state, name), twice);
}

TEST(xpub_state, subscriptions_count_against_the_receive_mark) {
  socket_options options;
  options.receive_mark.messages = 3;
  xpub_user user{options};
  const auto a = user.arrive();
  user.subscribe(a, "A");
  user.subscribe(a, "B");
  EXPECT_TRUE(user.state.find(a)->in.full()) << "the attach counts, too";
  static_cast<void>(user.received());
  EXPECT_FALSE(user.state.find(a)->in.full());
}

TEST(xpub_state, rejected_subscriptions_are_not_reported) {
  socket_options options;
  options.limit.subscriptions = 1;
  xpub_user user{options};
  const auto a = user.arrive();
  user.subscribe(a, "A");
  user.subscribe(a, "B");
  user.cancel(a, "B");
  EXPECT_EQ(user.received(), texts{"a +A"});
  EXPECT_EQ(user.state.counters().refused_subscriptions, 1U);
}

TEST(xpub_state, one_peer_can_be_sent_to) {
  xpub_user user;
  const auto a = user.arrive();
  const auto b = user.arrive();
  user.subscribe(a, "");
  user.subscribe(b, "");
  user.send({"1"});
  EXPECT_EQ(user.state.send(a, {"for a alone"}), send_status::queued);
  user.send({"2"});
  EXPECT_EQ(user.taken(a), (std::vector<parts>{{"1"}, {"for a alone"}, {"2"}}));
  EXPECT_EQ(user.taken(b), (std::vector<parts>{{"1"}, {"2"}}));
}

TEST(xpub_state, a_send_to_one_peer_reports_full_or_unknown) {
  socket_options options;
  options.send_mark.messages = 1;
  xpub_user user{options};
  const auto a = user.arrive();
  EXPECT_TRUE(user.state.writable(a));
  EXPECT_EQ(user.state.send(a, {"1"}), send_status::queued);
  EXPECT_FALSE(user.state.writable(a));
  message m{"2"};
  EXPECT_EQ(user.state.send(a, std::move(m)), send_status::full);
  EXPECT_EQ(m.front(), "2") << "what is not queued is not moved from";
  user.leave(a);
  EXPECT_EQ(user.state.send(a, std::move(m)), send_status::unknown);
  EXPECT_FALSE(user.state.writable(a));
}

TEST(xpub_state, a_paused_peer_is_not_received_from) {
  xpub_user user;
  const auto a = user.arrive();
  const auto b = user.arrive();
  user.state.pause(*user.state.find(a));
  user.subscribe(a, "A");
  user.subscribe(b, "B");
  EXPECT_EQ(user.received(), texts{"b +B"});
  user.state.resume(*user.state.find(a));
  EXPECT_EQ(user.received(), texts{"a +A"});
}

TEST(xpub_state, manual_peers_get_only_topics_that_the_user_subscribes) {
  xpub_user user{by_hand()};
  const auto a = user.arrive();
  const auto b = user.arrive();
  user.subscribe(a, "A");
  user.send({"A"});
  EXPECT_EQ(user.taken(a), std::vector<parts>{});
  EXPECT_TRUE(user.state.subscribe(a, "X"));
  EXPECT_TRUE(user.state.subscribe(b, "X"));
  user.send({"A"});
  user.send({"X1"});
  EXPECT_TRUE(user.state.cancel(b, "X"));
  user.send({"X2"});
  EXPECT_EQ(user.taken(a), (std::vector<parts>{{"X1"}, {"X2"}}));
  EXPECT_EQ(user.taken(b), (std::vector<parts>{{"X1"}}));
}

TEST(xpub_state, manual_reports_every_notice_to_the_user) {
  xpub_user user{by_hand()};
  const auto a = user.arrive();
  const auto b = user.arrive();
  user.subscribe(a, "A");
  user.subscribe(a, "A");
  EXPECT_EQ(user.received(), (texts{"a +A", "a +A"}));
  user.subscribe(b, "A");
  user.cancel(b, "never");
  user.cancel(b, "A");
  EXPECT_EQ(user.received(), (texts{"b +A", "b -A"}));
  user.leave(a);
  EXPECT_EQ(user.received(), texts{"a -A"});
}

TEST(xpub_state, manual_requests_of_a_peer_have_limits_too) {
  auto options = by_hand();
  options.limit.subscriptions = 2;
  options.limit.subscription_bytes = 4;
  xpub_user user{options};
  const auto a = user.arrive();
  user.subscribe(a, "A");
  user.subscribe(a, "four");
  user.subscribe(a, "B");
  user.subscribe(a, "C");
  user.subscribe(a, "A");
  EXPECT_EQ(user.received(), (texts{"a +A", "a +B", "a +A"}));
  EXPECT_EQ(user.state.counters().refused_subscriptions, 2U);
  user.cancel(a, "A");
  user.subscribe(a, "DDD");
  EXPECT_EQ(user.received(), (texts{"a -A", "a +DDD"}));
}

TEST(xpub_state, manual_rejects_a_subscription_for_a_disconnected_peer) {
  xpub_user user{by_hand()};
  const auto a = user.arrive();
  EXPECT_TRUE(user.state.subscribe(a, "X"));
  user.leave(a);
  EXPECT_FALSE(user.state.subscribe(a, "X"));
  EXPECT_FALSE(user.state.cancel(a, "X"));
  static_cast<void>(user.received());
  const auto next = user.arrive();
  ASSERT_EQ(next.slot, a.slot);
  user.send({"X"});
  EXPECT_EQ(user.taken(next), std::vector<parts>{}) << "it has nothing of its slot's former peer";
}

// The peer cancels a topic that the user had subscribed it to.
TEST(xpub_state, after_manual_a_peer_may_cancel_and_subscribe) {
  auto options = by_hand();
  options.limit.subscription_bytes = 10;
  xpub_user user{options};
  const auto a = user.arrive();
  EXPECT_TRUE(user.state.subscribe(a, "by hand"));
  options.xpub.manual = false;
  user.state.change_options(options);
  user.cancel(a, "by hand");
  user.subscribe(a, "ten bytes.");
  EXPECT_EQ(user.state.counters().refused_subscriptions, 0U);
  EXPECT_EQ(user.received(), texts{"a +ten bytes."});
  user.send({"by hand"});
  user.send({"ten bytes."});
  EXPECT_EQ(user.taken(a), (std::vector<parts>{{"ten bytes."}}));
  user.subscribe(a, "B");
  EXPECT_EQ(user.state.counters().refused_subscriptions, 1U) << "what it has counts";
}

TEST(xpub_state, after_manual_reported_topics_end) {
  auto options = by_hand();
  xpub_user user{options};
  const auto a = user.arrive();
  user.subscribe(a, "A");
  EXPECT_EQ(user.received(), texts{"a +A"});
  user.subscribe(a, "B");
  options.xpub.manual = false;
  user.state.change_options(options);
  user.cancel(a, "A");
  user.cancel(a, "B");
  user.cancel(a, "never");
  EXPECT_EQ(user.received(), (texts{"a +B", "a -A", "a -B"}));
  user.cancel(a, "A");
  EXPECT_EQ(user.received(), texts{});
  user.leave(a);
  EXPECT_EQ(user.received(), texts{});
}

TEST(xpub_state, manual_counts_topics_that_a_peer_had_before) {
  socket_options options;
  options.limit.subscription_bytes = 4;
  xpub_user user{options};
  const auto a = user.arrive();
  user.subscribe(a, "AB");
  options.xpub.manual = true;
  user.state.change_options(options);
  user.cancel(a, "AB");
  user.subscribe(a, "four");
  EXPECT_EQ(user.received(), (texts{"a +AB", "a -AB", "a +four"}));
  EXPECT_TRUE(user.state.cancel(a, "AB"));
  options.xpub.manual = false;
  user.state.change_options(options);
  user.subscribe(a, "FOUR");
  EXPECT_EQ(user.state.counters().refused_subscriptions, 0U);
}

}  // namespace
}  // namespace zmtp
