// Random use of XSUB while publishers connect and disconnect. Each connected publisher has been
// sent exactly the topics that the user wants, in set mode and in counting mode (protocols C2-1).

#include "test/support/routing.h"
#include "zmtp/routing/subscriber_state.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace zmtp {
namespace {

// The subscriptions that a publisher has, by topic: begins minus ends.
using received_topics = std::map<std::string, int>;

class random_use_of_xsub {
public:
  explicit random_use_of_xsub(unsigned seed) : random_{seed}, state_{{}, seed} {}

  void run() {
    for (int step = 0; step < 500 && !testing::Test::HasFatalFailure(); ++step) {
      switch (pick(10)) {
        case 0: arrive(); break;
        case 1: leave(); break;
        case 2: come_back(); break;
        case 3: flush(); break;
        case 4: give_up(); break;
        default: change();
      }
      ASSERT_LE(state_.unsent_subscriptions().size(), 500U);
    }
    flush();
    received_topics wanted;
    for (const auto& [topic, count] : counts_) {
      if (count != 0) {
        wanted[topic] = 1;
      }
    }
    for (const auto& [id, topics] : attached_) {
      ASSERT_EQ(topics, wanted);
    }
  }

private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  std::string any_topic() { return std::string(pick(3), 'a') + std::string(pick(2), '\0'); }
  void change() {
    const auto topic = any_topic();
    auto& count = counts_[topic];
    const bool subscribe = count == 0 || pick(2) == 0;
    count += subscribe ? 1 : -1;
    if (pick(2) == 0) {
      subscribe ? state_.subscribe(topic) : state_.unsubscribe(topic);
    } else {
      ASSERT_EQ(state_.send(message{(subscribe ? '\1' : '\0') + topic}), send_status::queued);
    }
  }
  // Also topics without a subscription.
  void give_up() {
    const auto topic = any_topic();
    auto& count = counts_[topic];
    count -= count != 0 ? 1 : 0;
    state_.unsubscribe(topic);
  }
  // As the shell does: first the changes for the others, and then all topics for the new peer.
  void attach(pipe& p) {
    flush();
    state_.on_attached(p, {}, 1);
    auto& topics = attached_[p.id];
    for (const auto topic : state_.topics()) {
      ASSERT_EQ(++topics[std::string{topic}], 1);
    }
  }
  void flush() {
    for (const auto& change : state_.unsent_subscriptions()) {
      for (auto& [id, topics] : attached_) {
        topics[change.topic] += change.subscribe ? 1 : -1;
        ASSERT_GE(topics[change.topic], 0);
        ASSERT_LE(topics[change.topic], 1);
        if (topics[change.topic] == 0) {
          topics.erase(change.topic);
        }
      }
    }
    state_.unsent_subscriptions().clear();
  }
  void arrive() {
    if (attached_.size() < 5) {
      attach(state_.open_pipe(pick(2) == 0));
    }
  }
  void leave() {
    if (attached_.empty()) {
      return;
    }
    const auto one =
        std::next(attached_.begin(), static_cast<std::ptrdiff_t>(pick(attached_.size())));
    const auto id = one->first;
    attached_.erase(one);
    state_.on_detached(*state_.find(id));
    if (state_.find(id) != nullptr) {
      away_.push_back(id);
    }
  }
  void come_back() {
    if (!away_.empty()) {
      const auto id = away_.back();
      away_.pop_back();
      attach(*state_.find(id));
    }
  }

  std::mt19937 random_;
  xsub_state state_;
  std::map<std::string, int> counts_;
  std::map<peer_id, received_topics> attached_;
  std::vector<peer_id> away_;
};

TEST(xsub_state_model, random_use_leaves_every_publisher_with_the_wanted_topics) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_use_of_xsub{seed}.run();
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp
