// REQ and REP against a plain account of whose turn it is, under random use.

#include "test/support/made_of.h"
#include "test/support/routing.h"
#include "zmtp/routing/lock_step_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::framed;
using test::made_of;
using test::parts;

class random_use {
public:
  virtual ~random_use() = default;

  void run() {
    for (int step = 0; step < 1'000 && !testing::Test::HasFatalFailure(); ++step) {
      do_something(pick(10));
    }
  }

protected:
  explicit random_use(unsigned seed) : random_{seed} {}

  virtual void do_something(std::size_t what) = 0;

  std::size_t pick(std::size_t n) { return random_() % n; }
  std::string new_text() { return std::to_string(count_++); }
  // Any of them; there must be one.
  template <class Value>
  auto any(std::map<peer_id, Value>& of) {
    return std::next(of.begin(), static_cast<long>(pick(of.size())));
  }

private:
  std::mt19937 random_;
  int count_ = 0;
};

class random_requesters final : public random_use {
public:
  explicit random_requesters(unsigned seed) : random_use{seed}, rep_{options(pick(2) == 0)} {}

private:
  struct request {
    parts envelope;  // none: not a request
    std::string text;
  };
  struct peer {
    bool attached = true;
    std::deque<request> asked;
    std::string to_write;
  };

  static bool is_request(const request& r) { return !r.envelope.empty(); }
  // How many there were before the next request.
  static std::uint64_t drop_nonsense(peer& p) {
    const auto first = std::find_if(p.asked.begin(), p.asked.end(), is_request);
    const auto count = first - p.asked.begin();
    p.asked.erase(p.asked.begin(), first);
    return static_cast<std::uint64_t>(count);
  }

  static socket_options options(bool announce) {
    socket_options o;
    o.announce_peers = announce;
    return o;
  }

  void do_something(std::size_t what) override {
    switch (what) {
      case 0: peers_.emplace(attach_new(rep_), peer{}); break;
      case 1: leave(); break;
      case 2:
      case 3:
      case 4: ask(); break;
      case 5: write(); break;
      case 6:
      case 7: receive(); break;
      default: reply();
    }
    ASSERT_EQ(rep_.writable(), in_turn_.has_value());
    ASSERT_EQ(rep_.counters().messages_sent, sent_);
    ASSERT_EQ(rep_.counters().dropped_unknown, unknown_);
    // Messages that REP skipped for a request are dropped; some more of other peers may be dropped.
    ASSERT_GE(rep_.counters().dropped_unexpected, passed_over_);
    ASSERT_LE(rep_.counters().dropped_unexpected, nonsense_);
  }

  void leave() {
    if (!peers_.empty()) {
      const auto [id, p] = *any(peers_);
      if (p.attached) {
        rep_.on_detached(*rep_.find(id));
        peers_[id].attached = false;
        peers_[id].to_write.clear();
      }
    }
  }

  void ask() {
    if (peers_.empty()) {
      return;
    }
    auto& [id, p] = *any(peers_);
    if (!p.attached) {
      return;
    }
    request r{.envelope = {}, .text = new_text()};
    parts frames;
    for (auto depth = pick(4); depth != 0; --depth) {
      frames.push_back(std::string(1 + pick(60), 'e'));
    }
    if (pick(4) != 0) {
      frames.emplace_back();
      r.envelope = frames;
      frames.push_back(r.text);
    } else {
      // Either without a delimiter or without anything behind it.
      frames.push_back(pick(2) == 0 ? r.text : "");
      ++nonsense_;
    }
    test::peer_sends(rep_, id, made_of(frames));
    p.asked.push_back(std::move(r));
  }

  void receive() {
    message m{"before"};
    const bool received = rep_.receive(m);
    if (in_turn_) {
      ASSERT_FALSE(received);
    }
    if (!received) {
      ASSERT_EQ(m, message{"before"});
    }
    if (in_turn_) {
      return;
    }
    if (!received) {
      // None of the messages that arrived was a request, and REP has dropped them.
      for (auto& [id, p] : peers_) {
        passed_over_ += drop_nonsense(p);
        ASSERT_TRUE(p.asked.empty());
      }
      ASSERT_EQ(rep_.counters().dropped_unexpected, nonsense_);
      return;
    }
    const auto from = std::find_if(peers_.begin(), peers_.end(), [&](auto& each) {
      const auto& asked = each.second.asked;
      const auto first = std::find_if(asked.begin(), asked.end(), is_request);
      return first != asked.end() && m == message{first->text};
    });
    ASSERT_NE(from, peers_.end()) << "not the next request of anybody";
    auto& asked = from->second.asked;
    passed_over_ += drop_nonsense(from->second);
    in_turn_.emplace(from->first, asked.front().envelope);
    asked.pop_front();
  }

  void reply() {
    const auto text = new_text();
    const auto status = rep_.send({text, "more"});
    ASSERT_EQ(status, in_turn_ ? send_status::queued : send_status::out_of_turn);
    if (!in_turn_) {
      return;
    }
    auto& to = peers_.at(in_turn_->first);
    if (to.attached) {
      auto frames = in_turn_->second;
      frames.insert(frames.end(), {text, "more"});
      to.to_write += framed(frames);
      ++sent_;
    } else {
      ++unknown_;
    }
    in_turn_.reset();
  }

  void write() {
    if (!peers_.empty()) {
      auto& [id, p] = *any(peers_);
      if (p.attached) {
        ASSERT_EQ(test::write(rep_, id), p.to_write);
        p.to_write.clear();
      }
    }
  }

  rep_state rep_;
  std::map<peer_id, peer> peers_;
  std::optional<std::pair<peer_id, parts>> in_turn_;
  std::uint64_t sent_ = 0;
  std::uint64_t unknown_ = 0;
  std::uint64_t nonsense_ = 0;
  std::uint64_t passed_over_ = 0;
};

class random_repliers final : public random_use {
public:
  explicit random_repliers(unsigned seed) : random_use{seed}, req_{options()} {}

private:
  socket_options options() {
    socket_options o;
    o.relaxed = pick(2) == 0;
    o.correlate = pick(2) == 0;
    o.send_mark.messages = 1 + pick(3);
    return o;
  }

  void do_something(std::size_t what) override {
    switch (what) {
      case 0: peers_[attach_new(req_)]; break;
      case 1: leave(); break;
      case 2:
      case 3:
      case 4: ask(); break;
      case 5:
      case 6: answer(); break;
      default: receive();
    }
    ASSERT_EQ(req_.awaiting_reply(), asked_.has_value());
    ASSERT_EQ(req_.counters().messages_sent, sent_);
  }

  void leave() {
    if (!peers_.empty()) {
      const auto id = any(peers_)->first;
      req_.on_detached(*req_.find(id));
      peers_.erase(id);
    }
  }

  void ask() {
    const auto text = new_text();
    message m{text};
    const bool room = std::any_of(peers_.begin(), peers_.end(), [&](const auto& each) {
      return !req_.find(each.first)->out.full();
    });
    const auto status = req_.send(std::move(m));
    if (asked_ && !req_.options().relaxed) {
      ASSERT_EQ(status, send_status::out_of_turn);
    } else {
      ASSERT_EQ(status, room ? send_status::queued : send_status::full);
    }
    if (status == send_status::queued) {
      asked_ = text;
      ++sent_;
    } else {
      ASSERT_EQ(m, message{text});  // NOLINT: that is what is tested
    }
  }

  // Writes what there is for a peer and lets it answer one of all that it was ever asked, or nonsense.
  void answer() {
    if (peers_.empty()) {
      return;
    }
    auto& [id, requests] = *any(peers_);
    // Something that it has sent before, while the request is not on its way, or without one.
    if (!asked_ || !req_.find(id)->out.empty()) {
      for (auto count = pick(3); count != 0; --count) {
        test::peer_sends(req_, id, message{"", "stale"});
      }
    }
    for (const auto& m : test::content_of(test::write(req_, id)).messages) {
      ASSERT_EQ(m.size(), req_.options().correlate ? 3U : 2U);
      ASSERT_EQ(m[m.size() - 2], "");
      requests.push_back(m);
    }
    if (requests.empty() || pick(4) == 0) {
      test::peer_sends(req_, id, pick(2) == 0 ? message{"nonsense"} : message{"a", "", "nonsense"});
    } else {
      // The last reply, and once, if it has no number that identifies its request.
      const auto which = req_.options().correlate ? pick(requests.size()) : requests.size() - 1;
      test::peer_sends(req_, id, made_of(requests[which]));
      if (!req_.options().correlate) {
        requests.clear();
      }
    }
  }

  void receive() {
    message m{"before"};
    if (!req_.receive(m)) {
      ASSERT_EQ(m, message{"before"});
      return;
    }
    ASSERT_TRUE(asked_);
    ASSERT_EQ(m, message{*asked_}) << "not the reply to the last request";
    asked_.reset();
  }

  req_state req_;
  std::map<peer_id, std::vector<parts>> peers_;
  std::optional<std::string> asked_;
  std::uint64_t sent_ = 0;
};

template <class Use>
void use_at_random() {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Use{seed}.run();
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

TEST(lock_step_model, rep_equals_a_plain_account) { use_at_random<random_requesters>(); }

TEST(lock_step_model, req_equals_a_plain_account) { use_at_random<random_repliers>(); }

}  // namespace
}  // namespace zmtp
