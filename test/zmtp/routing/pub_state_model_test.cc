// PUB compared with a simple model of subscriptions and deliveries, under random use.

#include "test/support/routing.h"
#include "zmtp/routing/pub_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::framed;
using test::parts;

// The model of a subscriber.
struct subscribed_peer {
  peer_id id;
  bool durable = false;
  bool attached = false;
  bool gone = false;
  bool misses = false;  // until its queue has space, or until it has been disconnected
  std::set<std::string> topics;
  std::deque<std::string> to_write;  // framed messages that are not wholly written
  std::size_t written = 0;           // bytes of the first of them, by this connection

  [[nodiscard]] bool wants(std::string_view first) const {
    for (const auto& topic : topics) {
      if (first.starts_with(topic)) {
        return true;
      }
    }
    return false;
  }
};

class random_use_of_pub {
public:
  explicit random_use_of_pub(unsigned seed) : random_{seed}, state_{options()} {}

  void run() {
    for (int step = 0; step < 700; ++step) {
      switch (pick(16)) {
        case 0: arrive(); break;
        case 1: leave(); break;
        case 2: come_back(); break;
        case 3:
        case 4: subscribe(); break;
        case 5: cancel(); break;
        case 6:
        case 7:
        case 8: write(); break;
        case 9: state_.end_turn(); break;
        default: send();
      }
      if (pick(4) == 0) {
        check();
      }
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
    // All is read in the end.
    for (auto& p : peers_) {
      if (!p->gone && p->attached) {
        write_to(*p, static_cast<std::size_t>(-1));
        ASSERT_TRUE(p->to_write.empty());
      }
    }
    check();
  }

private:
  socket_options options() {
    socket_options o;
    switch (pick(3)) {
      case 0: o.no_drop = true; break;
      case 1: o.disconnect_slow = true; break;
      default: break;
    }
    o.send_mark.messages = 1 + pick(40);
    o.send_mark.bytes = 1 + pick(150'000);
    return o;
  }
  std::size_t pick(std::size_t n) { return random_() % n; }

  template <class Predicate>
  subscribed_peer* any(Predicate&& predicate) {
    std::vector<subscribed_peer*> all;
    for (auto& p : peers_) {
      if (!p->gone && predicate(*p)) {
        all.push_back(p.get());
      }
    }
    return all.empty() ? nullptr : all[pick(all.size())];
  }
  subscribed_peer* any_attached() {
    return any([](const subscribed_peer& p) { return p.attached; });
  }

  // Few and short, prefixes of one another, with zero bytes.
  std::string any_topic() {
    std::string topic;
    for (auto size = pick(4); size > 0; --size) {
      topic += "a\0"[pick(2)];
    }
    return topic;
  }

  void arrive() {
    if (peers_.size() > 30) {
      return;
    }
    auto& opened = state_.open_pipe(pick(3) == 0);
    peers_.push_back(std::make_unique<subscribed_peer>());
    auto& p = *peers_.back();
    p.id = opened.id;
    p.durable = opened.durable;
    attach(p);
  }
  void attach(subscribed_peer& p) {
    state_.on_attached(*state_.find(p.id), {}, 1);
    p.attached = true;
  }
  void come_back() {
    if (auto* p = any([](const subscribed_peer& q) { return q.durable && !q.attached; })) {
      attach(*p);
    }
  }
  void leave() {
    auto* p = any_attached();
    if (p != nullptr && pick(3) == 0) {
      leave(p);
    }
  }
  void leave(subscribed_peer* p) {
    state_.on_detached(*state_.find(p->id));
    p->attached = false;
    p->topics.clear();
    p->written = 0;
    if (state_.options().disconnect_slow) {
      lost_ += p->to_write.size();
      p->to_write.clear();
      p->misses = false;
    }
    if (!p->durable) {
      p->gone = true;
      lost_ += p->to_write.size();
      ASSERT_EQ(state_.find(p->id), nullptr);
    }
  }
  void subscribe() {
    if (auto* p = any_attached()) {
      const auto topic = any_topic();
      state_.on_subscription(*state_.find(p->id), true, topic);
      p->topics.insert(topic);
    }
  }
  void cancel() {
    if (auto* p = any_attached()) {
      const auto topic = any_topic();
      state_.on_subscription(*state_.find(p->id), false, topic);
      p->topics.erase(topic);
    }
  }

  parts any_message() {
    const std::size_t sizes[] = {0, 1, 20, 90, 255, 256, 2'000, 4'096, 4'200, 20'000, 70'000};
    parts m{any_topic() + any_topic(), std::to_string(count_++)};
    // Mostly small ones, so that many are gathered.
    for (auto more = pick(3); more > 0; --more) {
      m.emplace_back(sizes[pick(pick(4) == 0 ? std::size(sizes) : 4)],
                     static_cast<char>('a' + pick(26)));
    }
    return m;
  }

  void send() {
    const auto content = any_message();
    message m;
    for (const auto& part : content) {
      if (pick(2) == 0) {
        m.adopt_back(std::string{part});
      } else {
        m.push_back(part);
      }
    }
    const message same{m};
    auto takers = who_takes(content.front());
    auto status = state_.send(std::move(m));
    if (status == send_status::full) {
      ASSERT_EQ(m, same);
      state_.end_turn();
      ASSERT_LT(with_room(takers).size(), takers.size()) << "everybody has room";
      if (pick(3) == 0) {
        // A shell writes before it tries again.
        write();
      }
      takers = who_takes(content.front());
      const auto lucky = with_room(takers);
      status = state_.send(std::move(m), if_full::drop);
      if (state_.options().no_drop && lucky.size() < takers.size()) {
        ASSERT_EQ(status, send_status::full);
        ASSERT_EQ(m, same);
        return;
      }
      std::vector<peer_id> too_slow;
      for (auto* p : takers) {
        p->misses = std::find(lucky.begin(), lucky.end(), p) == lucky.end();
        if (p->misses && state_.options().disconnect_slow) {
          too_slow.push_back(p->id);
        }
      }
      expect_overrun(std::move(too_slow));
      takers = lucky;
    }
    ASSERT_EQ(status, send_status::queued);
    for (const auto& p : peers_) {
      missed_ += !p->gone && p->misses && p->wants(content.front()) ? 1U : 0U;
    }
    for (auto* p : takers) {
      p->to_write.push_back(framed(content));
      ++sent_;
    }
  }
  // Each once, when it begins to miss messages.
  void expect_overrun(std::vector<peer_id> added) {
    ASSERT_EQ(state_.too_slow().size(), added.size());
    for (const auto id : std::exchange(state_.too_slow(), {})) {
      const auto found = std::find(added.begin(), added.end(), id);
      ASSERT_NE(found, added.end());
      added.erase(found);
    }
  }
  std::vector<subscribed_peer*> who_takes(std::string_view first) {
    std::vector<subscribed_peer*> takers;
    for (auto& p : peers_) {
      if (!p->gone && !p->misses && p->wants(first)) {
        takers.push_back(p.get());
      }
    }
    return takers;
  }
  std::vector<subscribed_peer*> with_room(std::vector<subscribed_peer*> of) {
    std::erase_if(of, [this](const subscribed_peer* p) { return state_.find(p->id)->out.full(); });
    return of;
  }

  void write() {
    if (auto* p = any_attached()) {
      const std::size_t some[] = {0, 1, 30, 1'000, 70'000, static_cast<std::size_t>(-1)};
      write_to(*p, some[pick(std::size(some))]);
    }
  }
  void write_to(subscribed_peer& p, std::size_t at_most) {
    state_.end_turn();
    const auto bytes = test::write(state_, p.id, at_most);
    std::string expected;
    for (const auto& m : p.to_write) {
      expected += m;
      if (expected.size() >= p.written + bytes.size()) {
        break;
      }
    }
    ASSERT_TRUE(bytes == std::string_view{expected}.substr(p.written, bytes.size()));
    p.written += bytes.size();
    while (!p.to_write.empty() && p.written >= p.to_write.front().size()) {
      p.written -= p.to_write.front().size();
      p.to_write.pop_front();
    }
    if (!state_.find(p.id)->out.full() && !state_.options().disconnect_slow) {
      p.misses = false;
    }
  }

  void check() {
    state_.end_turn();
    for (const auto& p : peers_) {
      if (p->gone) {
        continue;
      }
      auto& out = state_.find(p->id)->out;
      std::string expected;
      for (const auto& m : p->to_write) {
        expected += m;
      }
      std::array<send_queue::piece, 64> pieces;
      std::string rest;
      const auto count = out.gather(pieces);
      for (std::size_t i = 0; i < count; ++i) {
        rest.append(reinterpret_cast<const char*>(pieces[i].data()), pieces[i].size());
      }
      expected.erase(0, p->written);
      ASSERT_TRUE(count < pieces.size() ? rest == expected : expected.starts_with(rest))
          << "peer " << p->id.slot << ": " << rest.size() << " bytes instead of " << expected.size()
          << ", " << out.messages() << " messages instead of " << p->to_write.size();
      // Never over a mark by more than a message (S5).
      ASSERT_LE(out.messages(), *state_.options().send_mark.messages);
      ASSERT_LT(out.bytes(), *state_.options().send_mark.bytes + 150'000);
    }
    ASSERT_EQ(state_.counters().messages_sent, sent_);
    ASSERT_EQ(state_.counters().dropped_full, missed_);
    ASSERT_EQ(state_.counters().dropped_detached, lost_);
  }

  std::mt19937 random_;
  pub_state state_;
  std::vector<std::unique_ptr<subscribed_peer>> peers_;
  int count_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t missed_ = 0;
  std::uint64_t lost_ = 0;
};

TEST(pub_state_model, random_use_equals_a_plain_account) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_use_of_pub{seed}.run();
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp
