// Random use of PAIR with endpoints and accepted peers: a PAIR never has two peers at once. It
// loses no message except messages queued for an accepted peer, or for an endpoint that was
// disconnected.

#include "test/support/routing.h"
#include "zmtp/routing/lock_step_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace zmtp {
namespace {

class random_use_of_pair {
public:
  explicit random_use_of_pair(unsigned seed) : random_{seed}, state_{options()} {}

  void run() {
    for (int step = 0; step < 500 && !testing::Test::HasFatalFailure(); ++step) {
      switch (pick(8)) {
        case 0: come({}); break;
        case 1: connect(); break;
        case 2: endpoint_comes(); break;
        case 3: leave(); break;
        case 4: give_up(); break;
        case 5: write(); break;
        default: send();
      }
      ASSERT_LE(attached(), 1U);
      ASSERT_EQ(state_.counters().dropped_detached, lost_);
      ASSERT_EQ(state_.counters().dropped_full, 0U);
    }
  }

private:
  socket_options options() {
    socket_options o;
    o.immediate = pick(2) == 0;
    o.send_mark.messages = 1 + pick(5);
    return o;
  }
  std::size_t pick(std::size_t n) { return random_() % n; }
  std::size_t attached() const {
    std::size_t count = 0;
    state_.for_each_pipe([&](const pipe& p) { count += p.attached ? 1U : 0U; });
    return count;
  }
  // The model: the first peer stays until it disconnects.
  void come(std::optional<peer_id> id) {
    const auto verdict = state_.on_admission(id, {});
    ASSERT_EQ(!verdict.refused, !peer_ || peer_ == id);
    if (verdict.refused) {
      ASSERT_EQ(verdict.refused, errc::already_paired);
      return;
    }
    auto& p = id ? *state_.find(*id) : state_.open_pipe(false);
    if (!p.attached) {
      state_.on_attached(p, {}, 1);
      peer_ = p.id;
    }
  }
  void connect() {
    if (endpoints_.size() < 3) {
      endpoints_.push_back(state_.open_pipe(true).id);
      peer_ = peer_ ? peer_ : endpoints_.back();
    }
  }
  void endpoint_comes() {
    if (!endpoints_.empty()) {
      come(endpoints_[pick(endpoints_.size())]);
    }
  }
  void leave() {
    auto* const p = peer_ ? state_.find(*peer_) : nullptr;
    if (p == nullptr || !p->attached) {
      return;
    }
    if (!p->durable) {
      lost_ += queued_;
      queued_ = 0;
      peer_.reset();
    }
    state_.on_detached(*p);
  }
  void give_up() {
    if (endpoints_.empty() || pick(4) != 0) {
      return;
    }
    const auto id = endpoints_[pick(endpoints_.size())];
    std::erase(endpoints_, id);
    if (state_.find(id)->attached) {
      state_.on_detached(*state_.find(id));
    }
    if (peer_ == id) {
      lost_ += queued_;
      queued_ = 0;
      peer_.reset();
    }
    state_.close_pipe(*state_.find(id));
  }
  void write() {
    if (auto* const p = peer_ ? state_.find(*peer_) : nullptr; p != nullptr && p->attached) {
      ASSERT_EQ(test::content_of(test::write(state_, *peer_)).messages.size(), queued_);
      queued_ = 0;
    }
  }
  void send() {
    const auto* const p = peer_ ? state_.find(*peer_) : nullptr;
    const bool takes = p != nullptr && (p->attached || !state_.options().immediate) &&
                       queued_ < *state_.options().send_mark.messages;
    ASSERT_EQ(state_.writable(), takes);
    message m{"x"};
    ASSERT_EQ(state_.send(std::move(m), pick(2) == 0 ? if_full::drop : if_full::report),
              takes ? send_status::queued : send_status::full);
    ASSERT_EQ(m.empty(), takes);
    queued_ += takes ? 1U : 0U;
  }

  std::mt19937 random_;
  pair_state state_;
  std::vector<peer_id> endpoints_;
  std::optional<peer_id> peer_;
  std::size_t queued_ = 0;
  std::uint64_t lost_ = 0;
};

TEST(pair_state_model, random_use_equals_a_plain_account) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_use_of_pair{seed}.run();
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp
