// Titanic under random clients, services, faults of the store and restarts, against a ledger. No accepted
// request is lost, no client gets the reply of another, and no request is with two workers at once.

#include "mdp/error.h"
#include "mdp/titanic/titanic_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mdp::titanic {
namespace {

using namespace std::chrono_literals;

// The requests on the disk, and pending operations.
class random_store {
public:
  struct row {
    stored_request about{};
    zmtp::message request{};
    zmtp::message reply{};
  };

  void submit(std::vector<store_operation>&& all) {
    std::move(all.begin(), all.end(), std::back_inserter(waiting_));
  }
  [[nodiscard]] bool idle() const { return waiting_.empty(); }

  // Does the next operation, unless `fails`: then there is no room, or the read fails.
  store_result carry_out(bool fails) {
    auto one = std::move(waiting_.front());
    waiting_.pop_front();
    store_result result{.ticket = one.ticket};
    const auto reads = one.what == operation::read_request || one.what == operation::read_reply;
    if (fails) {
      result.ec = reads ? zmtp::storage_errc::read_failed : zmtp::storage_errc::store_full;
      unread += one.what == operation::read_reply ? 1U : 0U;
      return result;
    }
    while (rows.size() < one.number) {
      rows.push_back({.about = {.number = rows.size() + 1}});
    }
    auto& at = rows[one.number - 1];
    switch (one.what) {
      case operation::accept:
        EXPECT_EQ(at.about.accepted, 0U) << "the slot is not empty";
        at = {.about = {.number = one.number,
                        .accepted = one.accepted,
                        .id = one.id,
                        .service = one.service},
              .request = one.body};
        break;
      case operation::count_attempt:
      case operation::answer:
      case operation::give_up:
        if (at.about.id != one.id) {
          break;  // closed meanwhile
        }
        EXPECT_EQ(at.about.state, outcome::pending) << "a second outcome";
        at.about.attempts = one.attempts;
        at.reply = one.body;
        at.about.state = one.what == operation::answer    ? outcome::answered
                         : one.what == operation::give_up ? outcome::given_up
                                                          : outcome::pending;
        break;
      case operation::close: at = {.about = {.number = one.number}}; break;
      case operation::read_request: result.body = at.request; break;
      case operation::read_reply: result.body = at.reply; break;
    }
    if (reads && result.body.empty()) {
      result.ec = zmtp::storage_errc::row_damaged;
    }
    return result;
  }

  // Operations that had not begun are lost.
  std::vector<stored_request> restart() {
    waiting_.clear();
    std::vector<stored_request> slots;
    for (const auto& one : rows) {
      slots.push_back(one.about);
    }
    return slots;
  }

  std::vector<row> rows;
  std::size_t unread = 0;  // reads of replies that failed

private:
  std::deque<store_operation> waiting_;
};

class world {
public:
  explicit world(std::uint64_t seed) : random_{seed} { start({}); }

  void live(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      step();
    }
  }

  // Everything works from now on: accepted requests have their outcome in the end.
  void heal() {
    healed_ = true;
    for (int i = 0; i < 3'000 && (state_->status(now_).pending != 0 || !store_.idle()); ++i) {
      drain();
      pass(500ms);
    }
    drain();
    EXPECT_EQ(state_->status(now_).pending, 0U);
    EXPECT_EQ(state_->status(now_).in_flight, 0U);
    EXPECT_TRUE(callers_.empty()) << "a caller was never answered";
    for (const auto& [id, r] : requests_) {
      state_->on_reply(++last_caller_, zmtp::message{id.to_string()}, actions_);
      EXPECT_EQ(actions_.operations.size() + actions_.answers.size(), 1U);
      callers_[last_caller_] = {what_is_asked::reply, id, {}};
      take();
      drain();
      const auto code = last_answer_.front();
      if (r.closed) {
        EXPECT_EQ(code, "400") << "came back after it was closed";
      } else if (!r.closing) {
        EXPECT_TRUE(code == "200" || code == "500") << "lost: " << code;
      }
    }
    EXPECT_GT(replies_, 0U);
  }

private:
  enum class what_is_asked { request, reply, close };
  struct caller {
    what_is_asked what;
    request_id id;
    std::string body;
  };
  struct accepted {
    std::string body;
    bool closing = false;
    bool closed = false;
    std::optional<zmtp::message> reply{};
  };
  struct given {
    std::string service;
    zmtp::message body;
    std::chrono::steady_clock::time_point deadline;
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  void start(std::vector<stored_request> slots) {
    titanic_options options;
    options.service = {.in_flight = 3, .timeout = 5s, .attempts = 3};
    options.held_bytes = 200;  // some are read again
    state_.emplace(options);
    actions_.clear();
    callers_.clear();
    given_.clear();
    state_->on_recovered(std::move(slots), now_, actions_);
    take();
  }

  void step() {
    EXPECT_LE(state_->status(now_).in_flight, 4U * 3U);
    switch (below(13)) {
      case 0:
      case 1:
      case 2: request(); break;
      case 3: ask(what_is_asked::reply); break;
      case 4:
        if (below(3) == 0) {
          ask(what_is_asked::close);
        }
        break;
      case 5:
      case 6:
      case 7: store_one(); break;
      case 8:
      case 9: serve_one(); break;
      case 10: pass(std::chrono::milliseconds{below(3'000)}); break;
      case 11:
        if (below(20) == 0) {
          // A write may be stored although its result was not received.
          if (!store_.idle() && below(2) == 0) {
            static_cast<void>(store_.carry_out(false));
          }
          start(store_.restart());
        }
        break;
      case 12: submit_again(); break;
    }
  }

  void request() {
    request_id id;
    for (auto& byte : id.bytes) {
      byte = static_cast<std::uint8_t>(below(256));
    }
    const auto body = "body " + std::to_string(++last_body_) + std::string(below(50), '.');
    const auto service = "service " + std::to_string(below(4));
    if (below(3) == 0) {
      submitted_[id] = {service, body};
      submit(id);
      return;
    }
    state_->on_request(++last_caller_, zmtp::message{service, body}, id, actions_);
    callers_[last_caller_] = {what_is_asked::request, id, body};
    take();
  }

  void submit(const request_id& id) {
    const auto& [service, body] = submitted_.at(id);
    callers_[++last_caller_] = {what_is_asked::request, id, body};
    state_->on_submit(last_caller_, zmtp::message{id.to_string(), service, body}, actions_);
    take();
  }

  // Repeats a submission in any state, but not while the request is being closed. That would make a new
  // request.
  void submit_again() {
    if (submitted_.empty()) {
      return;
    }
    auto one = submitted_.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(below(submitted_.size())));
    if (const auto known = requests_.find(one->first);
        known == requests_.end() || !known->second.closing) {
      submit(one->first);
    }
  }

  void ask(what_is_asked what) {
    if (requests_.empty()) {
      return;
    }
    auto one = requests_.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(below(requests_.size())));
    const zmtp::message id{one->first.to_string()};
    callers_[++last_caller_] = {what, one->first, {}};
    if (what == what_is_asked::reply) {
      state_->on_reply(last_caller_, id, actions_);
    } else {
      one->second.closing = true;
      state_->on_close(last_caller_, id, now_, actions_);
    }
    take();
  }

  void store_one() {
    if (!store_.idle()) {
      state_->on_stored(store_.carry_out(!healed_ && below(10) == 0), now_, actions_);
      take();
    }
  }

  void serve_one() {
    if (given_.empty()) {
      return;
    }
    auto one = given_.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(below(given_.size())));
    const auto id = one->first;
    const auto what = one->second;
    given_.erase(one);
    const auto lookup = what.service == "mmi.service";
    const auto fate = healed_ ? 0 : below(10);
    if (fate == 1) {
      state_->on_dispatch_end(id, mdp::errc::not_connected, {}, now_, actions_);
    } else if (fate == 2) {
      state_->on_dispatch_end(id, mdp::errc::no_reply, {}, now_, actions_);
    } else if (fate == 3) {
      now_ = std::max(now_, what.deadline);
      state_->on_dispatch_end(id, mdp::errc::no_reply, {}, now_, actions_);
    } else if (lookup) {
      state_->on_dispatch_end(id, {}, zmtp::message{fate == 4 ? "404" : "200"}, now_, actions_);
    } else {
      // No two replies are the same.
      zmtp::message reply{"reply " + std::to_string(++last_reply_), what.body.front()};
      state_->on_dispatch_end(id, {}, std::move(reply), now_, actions_);
    }
    take();
  }

  void pass(std::chrono::milliseconds time) {
    now_ += time;
    if (const auto next = state_->next_deadline(); next && *next <= now_) {
      state_->on_deadline(now_, actions_);
      take();
      const auto after = state_->next_deadline();
      EXPECT_TRUE(!after || *after > now_) << "it would never rest";
    }
  }

  void drain() {
    while (!store_.idle() || !given_.empty()) {
      store_one();
      serve_one();
    }
  }

  void take() {
    auto actions = std::exchange(actions_, {});
    store_.submit(std::move(actions.operations));
    for (auto& one : actions.answers) {
      on_answer(one.caller, one.body);
    }
    std::map<std::string, std::size_t> at_once;
    for (auto& one : actions.dispatches) {
      given_.emplace(one.id, given{one.service, std::move(one.body), now_ + one.timeout});
    }
    std::set<std::string> bodies;
    for (const auto& [id, one] : given_) {
      if (one.service != "mmi.service") {
        EXPECT_TRUE(bodies.insert(std::string{one.body.front()}).second) << "with two workers";
        EXPECT_LE(++at_once[one.service], 3U);
      }
    }
  }

  void on_answer(std::uint64_t id, const zmtp::message& body) {
    const auto known = callers_.find(id);
    ASSERT_NE(known, callers_.end()) << "answered twice";
    const auto about = known->second;
    callers_.erase(known);
    last_answer_ = body;
    const auto code = body.front();
    switch (about.what) {
      case what_is_asked::request:
        ASSERT_TRUE(code == "200" || code == "500");
        if (code == "200") {
          EXPECT_EQ(body.back(), about.id.to_string());
          const auto stored =
              std::any_of(store_.rows.begin(), store_.rows.end(), [&](const auto& row) {
                return row.about.accepted != 0 && row.about.id == about.id &&
                       row.request.front() == about.body;
              });
          EXPECT_TRUE(stored) << "200 before it was stored";
          EXPECT_EQ(std::count_if(store_.rows.begin(), store_.rows.end(),
                                  [&](const auto& row) { return row.about.id == about.id; }),
                    1)
              << "stored twice";
          requests_[about.id].body = about.body;
        }
        break;
      case what_is_asked::reply: {
        auto& r = requests_.at(about.id);
        if (code == "200") {
          ++replies_;
          ASSERT_EQ(body.size(), 3U);
          EXPECT_EQ(body.back(), r.body) << "another's reply";
          EXPECT_FALSE(r.closed);
          if (r.reply) {
            EXPECT_EQ(body, *r.reply) << "the reply has changed";
          }
          r.reply = body;
        } else if (code == "400") {
          EXPECT_TRUE(r.closing) << "forgotten";
        } else {
          EXPECT_TRUE(code == "300" || code == "500");
          // A reply that could not be read is asked for again.
          EXPECT_TRUE(!r.reply || (code == "300" && store_.unread != 0)) << "the reply is lost";
        }
        break;
      }
      case what_is_asked::close:
        ASSERT_TRUE(code == "200" || code == "500");
        requests_.at(about.id).closed |= code == "200";
        break;
    }
  }

  std::mt19937_64 random_;
  std::chrono::steady_clock::time_point now_{1h};
  std::optional<titanic_state> state_;
  titanic_actions actions_;
  random_store store_;
  std::map<std::uint64_t, caller> callers_;
  std::map<std::uint64_t, given> given_;
  std::map<request_id, accepted> requests_;
  std::map<request_id, std::pair<std::string, std::string>> submitted_;  // service and body
  zmtp::message last_answer_;
  std::uint64_t last_caller_ = 0;
  std::uint64_t last_body_ = 0;
  std::uint64_t last_reply_ = 0;
  std::uint64_t replies_ = 0;
  bool healed_ = false;
};

TEST(titanic_random, ledger) {  // TSP-2, TSP-4, TSP-7, TSP-15
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    world one{seed};
    one.live(2'000);
    one.heal();
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace mdp::titanic
