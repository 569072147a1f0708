// The operations that wait in a socket, without a socket: the order of attempts and completions.

#include "zmtp/engine/pending_operations.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using side = pending_operations::side;
using names = std::vector<std::string>;

constexpr peer_id a{.slot = 0, .generation = 1};
constexpr peer_id b{.slot = 1, .generation = 1};

// Writes down what the room does with it. The test owns it, and the room lists it.
class scripted final : public waiter {
public:
  using script = std::function<bool(error_code&)>;

  scripted(std::string name, names& log, script attempt)
      : name_{std::move(name)}, log_{log}, attempt_{std::move(attempt)} {}

  [[nodiscard]] bool attempt(error_code& ec) override {
    const bool done = attempt_(ec);
    log_.push_back((done ? "+" : "-") + name_);
    return done;
  }
  void settle() noexcept override { settled = true; }
  void complete(error_code ec, when w, const asio::any_io_executor&) override {
    log_.push_back(name_ + (ec ? ": " + ec.message() : " ends") +
                   (w == when::later ? ", later" : ""));
    if (then) {
      then();
    }
  }
  void abandon() noexcept override { log_.push_back(name_ + " is abandoned"); }

  bool settled = false;
  std::function<void()> then;

private:
  std::string name_;
  names& log_;
  script attempt_;
};

class waiting : public testing::Test {
protected:
  scripted& enter(side where, const std::string& name, scripted::script attempt,
                  std::optional<peer_id> to = {}) {
    auto& w = all_.emplace_back(name, log_, std::move(attempt));
    w.to = to;
    room_.enter(where, w);
    return w;
  }
  // One message to a peer.
  scripted& send(const std::string& name, peer_id to) {
    return enter(
        side::to_send, name, [this, to](error_code&) { return take_room(to); }, to);
  }
  // Messages to several peers, in one operation that names none.
  scripted& send_batch(const std::string& name, std::vector<peer_id> to) {
    return enter(side::to_send, name,
                 [this, to = std::move(to), done = std::size_t{0}](error_code&) mutable {
                   while (done != to.size() && take_room(to[done])) {
                     ++done;
                   }
                   return done == to.size();
                 });
  }
  bool take_room(peer_id of) {
    auto& left = room_of_[of];
    if (left == 0) {
      return false;
    }
    --left;
    return true;
  }
  names round() {
    room_.attempt_all();
    return std::exchange(log_, {});
  }
  names notified() {
    (void)room_.tell_all();
    return std::exchange(log_, {});
  }

  names log_;
  std::deque<scripted> all_;
  std::map<peer_id, int> room_of_;
  asio::io_context context_;
  asio::any_io_executor executor_ = context_.get_executor();
  pending_operations room_{executor_};
};

TEST_F(waiting, sends_are_served_in_the_order_of_calls) {
  send_batch("1", {a});
  send_batch("2", {a});
  send_batch("3", {a});
  EXPECT_EQ(round(), names{"-1"});
  room_of_[a] = 2;
  EXPECT_EQ(round(), (names{"+1", "+2", "-3"}));
  EXPECT_EQ(notified(), (names{"1 ends", "2 ends"}));
  EXPECT_TRUE(room_.senders_wait());
  room_of_[a] = 1;
  EXPECT_EQ(round(), names{"+3"});
  EXPECT_EQ(notified(), names{"3 ends"});
  EXPECT_FALSE(room_.senders_wait());
}

// The peer runs in another thread, and takes something at any time.
TEST_F(waiting, a_peer_with_new_space_gets_messages_in_order) {
  auto& first = send("1", a);
  enter(
      side::to_send, "other",
      [this](error_code&) {
        room_of_[a] = 1;
        return true;
      },
      b);
  send("2", a);
  EXPECT_EQ(round(), (names{"-1", "+other"})) << "2 must not be attempted";
  EXPECT_FALSE(first.settled);
  EXPECT_EQ(round(), (names{"+1", "-2"}));
  EXPECT_EQ(notified(), (names{"other ends", "1 ends"}));
}

TEST_F(waiting, a_full_peer_does_not_block_other_peers) {
  send("a1", a);
  send("b1", b);
  send("a2", a);
  send("b2", b);
  room_of_[b] = 2;
  EXPECT_EQ(round(), (names{"-a1", "+b1", "+b2"}));
  room_of_[a] = 2;
  EXPECT_EQ(round(), (names{"+a1", "+a2"}));
}

TEST_F(waiting, a_new_peer_in_the_same_slot_does_not_wait) {
  constexpr peer_id later{.slot = 0, .generation = 2};
  send("1", a);
  send("2", later);
  room_of_[later] = 1;
  EXPECT_EQ(round(), (names{"-1", "+2"}));
}

TEST_F(waiting, a_batch_keeps_its_place) {
  send("a1", a);
  send_batch("batch", {b, a, b});
  send("b1", b);
  room_of_[b] = 10;
  EXPECT_EQ(round(), names{"-a1"});
  room_of_[a] = 1;
  EXPECT_EQ(round(), (names{"+a1", "-batch"})) << "the message to b was sent, the one to a waits";
  EXPECT_EQ(room_of_[b], 9);
  room_of_[a] = 1;
  EXPECT_EQ(round(), (names{"+batch", "+b1"}));
  EXPECT_EQ(room_of_[b], 7);
}

TEST_F(waiting, an_error_ends_one_send_and_the_next_is_attempted) {
  enter(
      side::to_send, "1",
      [](error_code& ec) {
        ec = errc::host_unreachable;
        return true;
      },
      a);
  send("2", a);
  room_of_[a] = 1;
  EXPECT_EQ(round(), (names{"+1", "+2"}));
  EXPECT_EQ(notified(),
            (names{"1: " + make_error_code(errc::host_unreachable).message(), "2 ends"}));
}

TEST_F(waiting, a_cancelled_send_does_not_change_the_order) {
  send("1", a);
  auto& cancelled = send("2", a);
  send("3", a);
  EXPECT_EQ(round(), names{"-1"});
  room_.conclude(cancelled, errc::timed_out);
  EXPECT_TRUE(cancelled.settled) << "too late for another end";
  room_of_[a] = 2;
  EXPECT_EQ(round(), (names{"+1", "+3"}));
  EXPECT_EQ(notified(),
            (names{"2: " + make_error_code(errc::timed_out).message(), "1 ends", "3 ends"}))
      << "in the order of the ends";
}

TEST_F(waiting, a_cancelled_first_send_lets_the_next_continue) {
  auto& cancelled = send("1", a);
  send("2", a);
  EXPECT_EQ(round(), names{"-1"});
  room_.conclude(cancelled, errc::timed_out);
  room_of_[a] = 1;
  EXPECT_EQ(round(), names{"+2"});
}

TEST_F(waiting, a_new_send_waits_behind_sends_to_its_peer) {
  scripted newcomer{"new", log_, {}};
  const auto next = [&](side where, std::optional<peer_id> to = {}) {
    newcomer.to = to;
    return room_.is_next(where, newcomer);
  };
  EXPECT_TRUE(next(side::to_send));
  EXPECT_TRUE(next(side::to_send, a));
  auto& one = send("1", a);
  EXPECT_FALSE(next(side::to_send));
  EXPECT_FALSE(next(side::to_send, a));
  EXPECT_TRUE(next(side::to_send, b));
  EXPECT_TRUE(room_.senders_wait(a));
  EXPECT_FALSE(room_.senders_wait(b));
  room_.conclude(one, {});
  auto& batch = send_batch("batch", {a});
  EXPECT_FALSE(next(side::to_send, b)) << "it may be for b";
  room_.conclude(batch, {});
  EXPECT_TRUE(next(side::to_send, a));
  EXPECT_TRUE(next(side::to_receive));
  enter(side::to_receive, "receive", [](error_code&) { return false; });
  EXPECT_FALSE(next(side::to_receive));
  EXPECT_TRUE(next(side::to_learn));
  EXPECT_FALSE(next(side::to_end));
  room_.abandon();
}

TEST_F(waiting, receives_are_served_in_turn) {
  int messages = 0;
  const auto take_message = [&](error_code&) { return messages-- > 0; };
  enter(side::to_receive, "r1", take_message);
  enter(side::to_receive, "r2", take_message);
  enter(side::to_learn, "l1", [](error_code&) { return false; });
  enter(side::to_learn, "l2", [](error_code&) { return true; });
  messages = 1;
  EXPECT_EQ(round(), (names{"+r1", "-r2", "-l1", "+l2"}));
  EXPECT_EQ(notified(), (names{"r1 ends", "l2 ends"}));
  room_.abandon();
}

// Handlers may start operations and end others.
TEST_F(waiting, handlers_may_start_and_cancel_operations) {
  auto& first = send("1", a);
  auto& second = send("2", a);
  first.then = [&] {
    room_.conclude(second, errc::timed_out);
    send("3", a);
  };
  room_of_[a] = 1;
  EXPECT_EQ(round(), (names{"+1", "-2"}));
  EXPECT_EQ(notified(), (names{"1 ends", "2: " + make_error_code(errc::timed_out).message()}));
  room_of_[a] = 1;
  EXPECT_EQ(round(), names{"+3"});
}

TEST_F(waiting, operations_end_at_their_deadlines) {
  const pending_operations::time_point start{};
  send("1", a).due = start + 3s;
  send("2", a).due = start + 1s;
  send("3", a);
  enter(side::to_receive, "r", [](error_code&) { return false; }).due = start + 2s;
  EXPECT_EQ(room_.first_deadline(), start + 1s);
  room_.expire(start + 2s);
  const auto late = make_error_code(errc::timed_out).message();
  auto ends = notified();
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (names{"2: " + late, "r: " + late}));
  EXPECT_EQ(room_.first_deadline(), start + 3s);
  room_of_[a] = 2;
  EXPECT_EQ(round(), (names{"+1", "+3"}));
  EXPECT_EQ(room_.first_deadline(), std::nullopt);
}

TEST_F(waiting, closing_ends_all_operations_in_order) {
  send("1", a);
  send("2", a);
  enter(side::to_receive, "r", [](error_code&) { return false; });
  enter(side::to_end, "end", [](error_code&) { return false; });
  room_of_[a] = 1;
  EXPECT_EQ(round(), (names{"-r", "+1", "-2"}));
  room_.close(errc::socket_closed);
  const auto closed = ": " + make_error_code(errc::socket_closed).message() + ", later";
  EXPECT_EQ(std::exchange(log_, {}), (names{"1 ends, later", "r" + closed, "2" + closed}));
  room_.end({});
  EXPECT_EQ(log_, names{"end ends, later"});
}

TEST_F(waiting, a_destroyed_context_abandons_all_operations_once) {
  send("1", a);
  send("2", a);
  enter(side::to_end, "end", [](error_code&) { return false; });
  room_of_[a] = 1;
  EXPECT_EQ(round(), (names{"+1", "-2"}));
  room_.abandon();
  EXPECT_EQ(log_, (names{"1 is abandoned", "2 is abandoned", "end is abandoned"}));
  EXPECT_FALSE(room_.senders_wait());
}

// Messages to each peer leave in the order of calls, for any order of free space and cancellations.
TEST_F(waiting, sends_to_one_peer_never_overtake_each_other) {
  std::size_t total = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random{seed};
    const auto pick = [&](unsigned n) { return random() % n; };
    std::map<peer_id, std::vector<int>> sent;
    std::vector<scripted*> pending;
    int number = 0;
    // Room comes up at any attempt.
    const auto attempt_one = [&](peer_id to, int which) {
      if (pick(3) == 0) {
        ++room_of_[pick(2) == 0 ? a : b];
      }
      if (!take_room(to)) {
        return false;
      }
      sent[to].push_back(which);
      return true;
    };
    for (int step = 0; step < 100; ++step) {
      const auto to = pick(2) == 0 ? a : b;
      switch (pick(5)) {
        case 0:
        case 1: {
          pending.push_back(&enter(
              side::to_send, "",
              [&, to, which = number++](error_code&) { return attempt_one(to, which); }, to));
          break;
        }
        case 2: {
          const auto other = pick(2) == 0 ? a : b;
          pending.push_back(&enter(side::to_send, "",
                                   [&, batch = std::vector{to, other}, which = number++,
                                    done = std::size_t{0}](error_code&) mutable {
                                     while (done != batch.size() &&
                                            attempt_one(batch[done], which)) {
                                       ++done;
                                     }
                                     return done == batch.size();
                                   }));
          break;
        }
        case 3: {
          auto& w = *pending.emplace_back(&send("", a));
          room_.conclude(w, errc::timed_out);
          break;
        }
        default: room_.attempt_all(); (void)room_.tell_all();
      }
    }
    room_.abandon();
    for (const auto& [to, which] : sent) {
      ASSERT_TRUE(std::is_sorted(which.begin(), which.end())) << "seed " << seed;
    }
    total += sent[a].size() + sent[b].size();
    all_.clear();
    room_of_.clear();
  }
  EXPECT_GT(total, 1'000U);
}

}  // namespace
}  // namespace zmtp
