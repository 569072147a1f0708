// A client and a minimal server, connected by a network that loses connections and updates at random. In the
// end the maps are equal, every update is committed, and each was applied once and in order.

#include "chp/answers.h"
#include "chp/client_state.h"
#include "chp/command.h"
#include "chp/lineage.h"
#include "chp/sequence.h"
#include "chp/subtree.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;

class world {
public:
  world(std::uint32_t seed, std::string subtree)
      : random_{seed}, subtree_{std::move(subtree)}, state_{1, options(), session, seed} {
    state_.start(now_, out_);
    perform();
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step(true);
    }
    // Behind the last one a gap cannot be seen.
    publish("/a/end", "1", {}, false);
    for (int i = 0; i < 20'000 && !settled(); ++i) {
      step(false);
    }
  }

  void check() const {
    EXPECT_TRUE(settled());
    std::map<std::string, std::string> copy;
    state_.map().for_each({}, [&](const store::entry& e) {
      copy.emplace(e.key(), e.value());
      return true;
    });
    std::map<std::string, std::string> of_subtree;
    for (const auto& [key, value] : map_) {
      if (key.starts_with(subtree_)) {
        of_subtree.emplace(key, value);
      }
    }
    EXPECT_EQ(copy, of_subtree);
    EXPECT_EQ(committed_, sets_);
    EXPECT_EQ(applied_, sets_);
  }

  [[nodiscard]] client_counters counters() const { return state_.status().counters; }

private:
  static constexpr auto session = update_id::make_session(0xfeed'f00d'feed'f00d);

  [[nodiscard]] client_options options() const {
    client_options o;
    o.subtree = subtree_;
    o.pending_updates = 5;
    o.resend = 300ms;
    return o;
  }
  [[nodiscard]] bool one_in(unsigned n) { return random_() % n == 0; }
  [[nodiscard]] bool settled() const {
    const auto status = state_.status();
    return status.following && status.sent == 0 && status.unsent == 0 && news_.empty() &&
           answers_.empty() && requests_.empty() && updates_.empty();
  }

  void step(bool faults) {
    if (faults && one_in(200)) {
      lose_visit();
    } else if (faults && one_in(200)) {
      state_.on_collector_detached(0);
      listens_ = false;
      updates_.clear();
    } else if (faults && one_in(8)) {
      // An update of another client.
      publish("/" + std::string(1, "ab"[random_() % 2]) + "/" + std::to_string(random_() % 5),
              one_in(3) ? "" : std::to_string(random_()), {}, faults);
    } else if (faults && one_in(8)) {
      const auto key = "/a/own" + std::to_string(random_() % 3);
      ASSERT_TRUE(state_.add_update(key, std::to_string(++sets_), {}, now_, out_));
    } else {
      go_on(faults);
    }
    perform();
  }

  // One thing that a network or a peer does in the end.
  void go_on(bool faults) {
    switch (random_() % 7) {
      case 0:
        if (open_ && !subscribed_) {
          state_.on_subscriber_attached(true, now_, out_);
          subscribed_ = true;
          news_.push_back(make_heartbeat());
        }
        return;
      case 1:
        if (dealer_ && !asked_) {
          asked_ = true;
          state_.on_snapshot_attached(now_, out_);
        }
        return;
      case 2: answer(); return;
      case 3:
        if (!listens_) {
          listens_ = true;
          state_.on_collector_subscribed(0, false, now_, out_);
        } else if (!updates_.empty()) {
          collect(faults);
        }
        return;
      case 4:
      case 5: hear(); return;
      case 6:
        now_ += std::chrono::milliseconds{random_() % 100};
        if (subscribed_ && one_in(5)) {
          news_.push_back(make_heartbeat());
        }
        state_.on_deadline(now_, out_);
        return;
    }
  }

  void answer() {
    if (requests_.empty()) {
      return;
    }
    requests_.pop_front();
    for (const auto& [key, value] : map_) {
      if (key.starts_with(subtree_)) {
        answers_.push_back(make_entry(form::kvmsg, key, number_, {}, {}, value));
      }
    }
    lineage rows;
    rows.begin_reign(1, 7, number_);
    answers_.push_back(make_lineage(rows, number_));
    answers_.push_back(make_snapshot_end(form::kvmsg, number_, subtree_, counts()));
  }

  void collect(bool faults) {
    const auto m = std::move(updates_.front());
    updates_.pop_front();
    const auto set = parse_set(m, form::kvmsg, {});
    const auto id = update_id::of_frame(set->id);
    if (id.counter() > applied_) {
      EXPECT_EQ(id.counter(), applied_ + 1) << "one was left out";
      EXPECT_EQ(set->value, std::to_string(applied_ + 1)) << "out of order";
      applied_ = id.counter();
      publish(std::string{set->key}, std::string{set->value}, id, faults);
    }
    if (subscribed_ && (!faults || !one_in(4))) {
      std::string properties;
      const answer_range all{{1, applied_}, number_, truth::both_servers, {}};
      append_answers(properties, {&all, 1});
      news_.push_back(make_heartbeat(properties));
    }
  }

  void publish(const std::string& key, const std::string& value, const update_id& id, bool faults) {
    ++number_;
    count_ += key.starts_with(subtree_) ? 1 : 0;
    value.empty() ? void(map_.erase(key)) : void(map_.insert_or_assign(key, value));
    if (subscribed_ && key.starts_with(subtree_) && (!faults || !one_in(20))) {
      news_.push_back(make_entry(form::kvmsg, key, number_, id.bytes(), counts(), value));
    }
  }

  [[nodiscard]] std::string counts() const {
    std::string properties;
    if (!subtree_.empty()) {
      append_directory_counts(properties, std::vector<directory_count>{{subtree_, count_}});
    }
    return properties;
  }

  void hear() {
    auto& from = answers_.empty() || one_in(2) ? news_ : answers_;
    if (from.empty()) {
      return;
    }
    const auto m = std::move(from.front());
    from.pop_front();
    if (&from == &news_) {
      state_.on_subscriber_message(m, now_, out_);
    } else {
      state_.on_snapshot_message(m, now_, out_);
    }
  }

  void lose_visit() {
    if (open_ && subscribed_) {
      state_.on_lost(now_, out_);
    } else if (open_) {
      state_.on_unreachable(now_, out_);
    }
  }

  void close_dealer() {
    dealer_ = asked_ = false;
    requests_.clear();
    answers_.clear();
  }

  void perform() {
    for (const auto& c : out_.connections) {
      using enum client_actions::connection;
      close_dealer();
      dealer_ = c.what == open || c.what == renew_snapshot;
      if (c.what == open || c.what == close) {
        open_ = c.what == open;
        subscribed_ = false;
        news_.clear();
      }
    }
    for (auto& m : out_.asks) {
      requests_.push_back(std::move(m));
    }
    for (auto& p : out_.publications) {
      updates_.push_back(std::move(p.content));
    }
    for (const auto& c : out_.completions) {
      EXPECT_FALSE(c.ec);
      EXPECT_EQ(c.ticket, ++committed_) << "committed out of order";
    }
    out_ = {};
  }

  std::mt19937 random_;
  std::string subtree_;
  client_state::time_point now_{1h};
  client_state state_;
  client_actions out_;
  // The server.
  std::map<std::string, std::string> map_;
  sequence number_ = make_sequence(1, 0);
  std::uint64_t count_ = 0;    // updates in the subtree
  std::uint64_t applied_ = 0;  // updates of the client
  // The network.
  bool open_ = false;
  bool subscribed_ = false;
  bool dealer_ = false;
  bool asked_ = false;
  bool listens_ = false;
  std::deque<zmtp::message> news_;
  std::deque<zmtp::message> requests_;
  std::deque<zmtp::message> answers_;
  std::deque<zmtp::message> updates_;
  // The user.
  std::uint64_t sets_ = 0;
  std::uint64_t committed_ = 0;
};

TEST(client_random, maps_become_equal_despite_random_losses) {
  std::uint64_t gaps = 0;
  std::uint64_t left = 0;
  std::uint64_t resent = 0;
  for (std::uint32_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    world w{seed, seed % 2 == 0 ? "/a/" : ""};
    w.run(5'000);
    w.check();
    const auto counters = w.counters();
    gaps += counters.gaps;
    left += counters.servers_left;
    resent += counters.resent;
  }
  EXPECT_GT(gaps, 200U);
  EXPECT_GT(left, 200U);
  EXPECT_GT(resent, 200U);
}

}  // namespace
}  // namespace chp
