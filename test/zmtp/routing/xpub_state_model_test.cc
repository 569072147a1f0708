// Random use of XPUB by several peers, compared with a model of sets. The notices to the user add
// up to the topics of the peers. Each topic begins before it ends. Messages go to the peers that
// subscribed to them.

#include "test/support/routing.h"
#include "zmtp/routing/xpub_state.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using notices = xpub_options::notices;

struct topics_of_peer {
  std::set<std::string> topics;    // topics that the peer has
  std::set<std::string> notified;  // topics that the user knows
  bool attached = true;
  bool announced = false;
};

class random_use_of_xpub {
public:
  explicit random_use_of_xpub(unsigned seed) : random_{seed}, state_{options()} {}

  void run() {
    for (int step = 0; step < 1'000 && !testing::Test::HasFatalFailure(); ++step) {
      switch (pick(12)) {
        case 0: arrive(); break;
        case 1: leave(); break;
        case 2:
        case 3:
        case 4: subscribe(); break;
        case 5:
        case 6: cancel(); break;
        case 7: publish(); break;
        case 8: pause(); break;
        default: receive();
      }
    }
    for (auto& [id, p] : peers_) {
      if (auto* const open = state_.find(id)) {
        state_.resume(*open);
      }
    }
    while (!testing::Test::HasFatalFailure() && receive()) {
    }
    for (const auto& [id, p] : peers_) {
      ASSERT_EQ(p.attached, p.announced);
      if (!state_.options().xpub.manual && state_.options().xpub.notifications == notices::all) {
        ASSERT_EQ(p.topics, p.notified);
      }
    }
    std::set<std::string> wanted;
    for (const auto& [id, p] : peers_) {
      wanted.insert(p.topics.begin(), p.topics.end());
    }
    ASSERT_EQ(wanted, active_) << "what the user knows is what there is";
  }

private:
  socket_options options() {
    socket_options o;
    o.xpub.notifications = static_cast<notices>(pick(3));
    o.xpub.manual = pick(4) == 0;
    o.announce_peers = true;
    return o;
  }
  std::size_t pick(std::size_t n) { return random_() % n; }
  std::pair<const peer_id, topics_of_peer>* any_attached() {
    std::vector<std::pair<const peer_id, topics_of_peer>*> all;
    for (auto& each : peers_) {
      if (each.second.attached) {
        all.push_back(&each);
      }
    }
    return all.empty() ? nullptr : all[pick(all.size())];
  }
  std::string any_topic() {
    std::string topic;
    for (auto size = pick(4); size > 0; --size) {
      topic += "a\0"[pick(2)];
    }
    return topic;
  }

  void arrive() {
    if (peers_.size() < 12) {
      peers_.emplace(test::attach_new(state_), topics_of_peer{});
    }
  }
  void leave() {
    if (auto* const one = any_attached()) {
      state_.on_detached(*state_.find(one->first));
      one->second.attached = false;
      one->second.topics.clear();
    }
  }
  void subscribe() {
    if (auto* const one = any_attached()) {
      const auto topic = any_topic();
      state_.on_subscription(*state_.find(one->first), true, topic);
      one->second.topics.insert(topic);
    }
  }
  void cancel() {
    if (auto* const one = any_attached()) {
      const auto topic = any_topic();
      state_.on_subscription(*state_.find(one->first), false, topic);
      one->second.topics.erase(topic);
    }
  }
  void pause() {
    if (auto* const one = any_attached()) {
      auto& p = *state_.find(one->first);
      pick(2) == 0 ? state_.pause(p) : state_.resume(p);
    }
  }
  void publish() {
    if (state_.options().xpub.manual) {
      return;
    }
    const auto first = any_topic() + any_topic();
    ASSERT_EQ(state_.send(message{first}), send_status::queued);
    state_.end_turn();
    for (const auto& [id, p] : peers_) {
      if (p.attached) {
        bool wants = false;
        for (const auto& topic : p.topics) {
          wants = wants || first.starts_with(topic);
        }
        ASSERT_EQ(test::content_of(test::write(state_, id)).messages.size(), wants ? 1U : 0U);
      }
    }
  }
  bool receive() {
    routed_message m;
    if (!state_.receive(m)) {
      return false;
    }
    auto& p = peers_.at(m.peer);
    switch (m.what) {
      case routed_message::kind::attached: p.announced = true; return true;
      case routed_message::kind::detached:
        EXPECT_TRUE(p.announced);
        p.announced = false;
        EXPECT_TRUE(!tells_all() || p.notified.empty());
        return true;
      case routed_message::kind::message: break;
    }
    const auto text = std::string{m.content.front()};
    check_notice(p, text.front() == '\1', text.substr(1));
    return true;
  }
  [[nodiscard]] bool tells_all() const {
    return state_.options().xpub.manual || state_.options().xpub.notifications == notices::all;
  }
  void check_notice(topics_of_peer& p, bool subscribe, const std::string& topic) {
    if (subscribe) {
      const auto first = active_.insert(topic).second;
      ASSERT_TRUE(first || state_.options().xpub.manual ||
                  state_.options().xpub.notifications != notices::changes);
      p.notified.insert(topic);
      return;
    }
    if (!tells_all()) {
      ASSERT_EQ(active_.erase(topic), 1U) << "it ends before it begins";
      return;
    }
    ASSERT_EQ(p.notified.erase(topic), 1U) << "it ends before it begins";
    bool others = false;
    for (const auto& [id, other] : peers_) {
      others = others || other.notified.count(topic) != 0;
    }
    if (!others) {
      active_.erase(topic);
    }
  }

  std::mt19937 random_;
  xpub_state state_;
  std::map<peer_id, topics_of_peer> peers_;
  std::set<std::string> active_;  // as the user knows
};

TEST(xpub_state_model, random_use_equals_a_plain_account) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_use_of_xpub{seed}.run();
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp
