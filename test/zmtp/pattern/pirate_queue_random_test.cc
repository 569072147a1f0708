// A queue under random events: every client gets the answer to its own request, once, and a worker
// has one request at a time.

#include "zmtp/pattern/pirate_queue_state.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

class queue_world {
public:
  queue_world(std::uint32_t seed, pirate_protocol how)
      : random_{seed}, how_{how}, state_{{.protocol = how, .waiting = 5, .workers = 6}, seed} {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      step();
      now_ += std::chrono::milliseconds{random_() % 200};
      if (state_.next_deadline() && *state_.next_deadline() <= now_) {
        state_.on_deadline(now_, actions_);
      }
      carry_out();
      check();
    }
  }
  [[nodiscard]] std::size_t answered() const noexcept { return answered_; }

private:
  struct worker {
    std::optional<message> has;
    std::optional<message> before;  // an answer that it may still give
  };

  void step() {
    switch (random_() % 10) {
      case 0: attach_worker(); break;
      case 1: detach_worker(); break;
      case 2: say(make_ready(how_)); break;
      case 3: say(how_ == pirate_protocol::paranoid ? make_heartbeat() : make_ready(how_)); break;
      case 4: say({"x"sv, "nonsense"sv}); break;
      case 5: answer_of_before(); break;
      case 6: detach_client(); break;
      case 7: reply(); break;
      default: ask(); break;
    }
  }

  void attach_worker() {
    if (workers_.size() < 8) {
      const peer_id added{++last_peer_, 1};
      workers_[added];
      state_.on_worker_attached(added, {});
      state_.on_worker_message(added, make_ready(how_), now_, actions_);
    }
  }
  template <class Map>
  auto any_of(Map& all) {
    return std::next(all.begin(), static_cast<std::ptrdiff_t>(random_() % all.size()));
  }
  void detach_worker() {
    if (!workers_.empty()) {
      const auto gone = any_of(workers_);
      state_.on_worker_detached(gone->first, now_, actions_);
      workers_.erase(gone);
    }
  }
  // A worker sends a message that is not an answer. If this message is READY, the worker has no
  // request in flight afterwards.
  void say(message m) {
    if (workers_.empty()) {
      return;
    }
    const auto who = any_of(workers_);
    auto inside = m;
    if (parse_pirate(inside, how_) == pirate_kind::ready && who->second.has) {
      who->second.before = who->second.has;
      who->second.has.reset();
    }
    state_.on_worker_message(who->first, std::move(m), now_, actions_);
  }
  void reply() {
    if (workers_.empty()) {
      return;
    }
    const auto who = any_of(workers_);
    if (who->second.has) {
      who->second.before = who->second.has;
      auto sent = std::exchange(who->second.has, std::nullopt);
      state_.on_worker_message(who->first, std::move(*sent), now_, actions_);
    }
  }
  void answer_of_before() {
    if (!workers_.empty()) {
      const auto who = any_of(workers_);
      if (who->second.before) {
        state_.on_worker_message(who->first, message{*who->second.before}, now_, actions_);
      }
    }
  }
  void ask() {
    const peer_id client{
        random_() % 4 == 0 || clients_.empty() ? ++last_peer_ : any_of(clients_)->first.slot, 2};
    if (paused_.contains(client)) {
      return;
    }
    const auto body = std::to_string(++last_body_);
    clients_[client].insert(body);
    state_.on_client_message(client, message{"hop"sv, ""sv, body}, now_, actions_);
  }
  void detach_client() {
    if (!clients_.empty()) {
      const auto gone = any_of(clients_);
      state_.on_client_detached(gone->first, actions_);
      paused_.erase(gone->first);
      clients_.erase(gone);
    }
  }

  void carry_out() {
    for (std::size_t i = 0; i < actions_.to_workers.size(); ++i) {
      auto [to, content] = std::move(actions_.to_workers[i]);
      const auto who = workers_.find(to);
      ASSERT_NE(who, workers_.end()) << "sent to one that is gone";
      if (random_() % 20 == 0) {
        state_.on_not_taken(to, std::move(content), now_, actions_);
        continue;
      }
      if (content == make_heartbeat()) {
        continue;
      }
      EXPECT_FALSE(who->second.has) << "a second request";
      auto inside = content;
      EXPECT_EQ(parse_pirate(inside, how_), pirate_kind::request);
      EXPECT_EQ(inside.size(), 3U);
      who->second.has = content;
    }
    for (const auto& [to, content] : actions_.to_clients) {
      ASSERT_EQ(content.size(), 3U);
      EXPECT_EQ(content[0], "hop"sv);
      EXPECT_EQ(content[1], ""sv);
      if (const auto client = clients_.find(to); client != clients_.end()) {
        EXPECT_EQ(client->second.erase(std::string{content[2]}), 1U)
            << "not asked by this client, or answered before";
        ++answered_;
      }
    }
    for (const auto client : actions_.pause) {
      EXPECT_TRUE(paused_.insert(client).second) << "paused twice";
    }
    for (const auto client : actions_.resume) {
      EXPECT_EQ(paused_.erase(client), 1U) << "resumed without having been paused";
    }
    actions_.clear();
  }

  void check() const {
    EXPECT_LE(state_.workers(), 6U);
    EXPECT_LE(state_.idle_workers(), state_.workers());
    // Above the limit each client has one more, and those that were not taken come back.
    EXPECT_LE(state_.waiting(), 5U + clients_.size() + 8U);
    EXPECT_TRUE(state_.waiting() != 0 || paused_.empty()) << "paused for nothing";
    EXPECT_TRUE(state_.waiting() == 0 || state_.idle_workers() == 0)
        << "a request waits while a worker is free";
  }

  std::mt19937 random_;
  pirate_protocol how_;
  pirate_queue_state state_;
  pirate_queue_actions actions_;
  pirate_queue_state::time_point now_{1h};
  std::map<peer_id, worker> workers_;
  std::map<peer_id, std::set<std::string>> clients_;  // their pending requests
  std::set<peer_id> paused_;
  std::uint32_t last_peer_ = 0;
  std::uint32_t last_body_ = 0;
  std::size_t answered_ = 0;
};

// PPP-4
TEST(pirate_queue_random, ledger) {
  std::size_t answered = 0;
  for (std::uint32_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    queue_world world{seed, seed % 2 == 0 ? pirate_protocol::simple : pirate_protocol::paranoid};
    world.run(1'000);
    answered += world.answered();
  }
  EXPECT_GT(answered, 1'000U);
}

}  // namespace
}  // namespace zmtp
