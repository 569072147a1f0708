// DEALER, ROUTER, PUSH and PULL compared with a simple model of the sent messages, under random
// use.

#include "test/support/routing.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::framed;

// The model of a peer.
struct known_peer {
  peer_id id;
  bool durable;
  bool attached = false;
  bool paused = false;
  bool gone = false;
  std::deque<std::string> to_receive;  // "attached", "detached" or a message's text
  std::deque<std::string> to_write;    // texts of messages that are not wholly written
  std::size_t written = 0;             // bytes of the first of them
  int passed_over = 0;                 // how many were received since it has had something
};

template <class State>
class random_use_of_sockets {
public:
  explicit random_use_of_sockets(unsigned seed) : random_{seed}, state_{options()} {}

  void run() {
    for (int step = 0; step < 600; ++step) {
      switch (pick(12)) {
        case 0: arrive(); break;
        case 1: attach_endpoint(); break;
        case 2: leave(); break;
        case 3: pause_or_resume(); break;
        case 4:
          if (pick(8) == 0) {
            close();
          }
          break;
        case 5: write(); break;
        case 6:
        case 7:
        case 8: speak(); break;
        case 9:
        case 10: receive(); break;
        default: send();
      }
      check();
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
    for (auto& p : peers_) {
      if (p->paused && !p->gone) {
        state_.resume(*state_.find(p->id));
        p->paused = false;
      }
    }
    while (state_.readable() && !testing::Test::HasFatalFailure()) {
      receive();
    }
    for (const auto& p : peers_) {
      ASSERT_TRUE(p->to_receive.empty());
    }
  }

private:
  static constexpr bool addressed = std::is_same_v<State, router_state>;
  static constexpr bool sends = !std::is_same_v<State, pull_state>;
  static constexpr bool receives = !std::is_same_v<State, push_state>;

  socket_options options() {
    socket_options o;
    o.announce_peers = pick(2) == 0;
    o.send_mark.messages = 1 + pick(8);
    o.send_mark.bytes = 1 + pick(3000);
    return o;
  }
  std::size_t pick(std::size_t n) { return random_() % n; }

  // A random one of the peers that satisfy.
  template <class Predicate>
  known_peer* any(Predicate&& predicate) {
    std::vector<known_peer*> all;
    for (auto& p : peers_) {
      if (!p->gone && predicate(*p)) {
        all.push_back(p.get());
      }
    }
    return all.empty() ? nullptr : all[pick(all.size())];
  }

  void announce(known_peer& p, const char* what) {
    if (receives && state_.options().announce_peers) {
      p.to_receive.emplace_back(what);
    }
  }
  void attach(known_peer& p) {
    state_.on_attached(*state_.find(p.id), test::announcing("peer " + std::to_string(count_++)), 1);
    p.attached = true;
    announce(p, "attached");
  }
  void arrive() {
    const bool durable = pick(3) == 0;
    auto& opened = state_.open_pipe(durable);
    peers_.push_back(std::make_unique<known_peer>());
    peers_.back()->id = opened.id;
    peers_.back()->durable = durable;
    if (!durable) {
      attach(*peers_.back());
    }
  }
  void attach_endpoint() {
    if (auto* p = any([](const known_peer& q) { return q.durable && !q.attached; })) {
      attach(*p);
    }
  }

  void leave() {
    auto* p = any([](const known_peer& q) { return q.attached; });
    if (p == nullptr) {
      return;
    }
    state_.on_detached(*state_.find(p->id));
    p->attached = false;
    p->written = 0;
    announce(*p, "detached");
    if (!p->durable) {
      dropped_ += p->to_write.size();
      p->to_write.clear();
      p->paused = false;
      p->gone = p->to_receive.empty();
    }
  }
  void close() {
    if (auto* p = any([](const known_peer& q) { return q.durable; })) {
      if (p->attached) {
        state_.on_detached(*state_.find(p->id));
        p->attached = false;
        p->written = 0;
        announce(*p, "detached");
      }
      state_.close_pipe(*state_.find(p->id));
      p->durable = false;
      dropped_ += p->to_write.size();
      p->to_write.clear();
      p->paused = false;
      p->gone = p->to_receive.empty();
    }
  }
  void pause_or_resume() {
    if (auto* p = any([](const known_peer& q) { return q.attached; })) {
      p->paused = !p->paused;
      p->passed_over = 0;
      auto& known = *state_.find(p->id);
      p->paused ? state_.pause(known) : state_.resume(known);
    }
  }

  void speak() {
    if (auto* p = any([](const known_peer& q) { return q.attached; })) {
      const auto text = std::to_string(count_++);
      test::peer_sends(state_, p->id, {text});
      if (receives) {
        p->to_receive.push_back(text);
      } else {
        ++unexpected_;
      }
    }
  }
  void receive() {
    routed_message next;
    if (!state_.receive(next)) {
      ASSERT_EQ(any([](const known_peer& q) { return !q.paused && !q.to_receive.empty(); }),
                nullptr);
      return;
    }
    auto* from = any([&](const known_peer& q) { return q.id == next.peer; });
    ASSERT_NE(from, nullptr);
    ASSERT_FALSE(from->paused || from->to_receive.empty());
    ASSERT_EQ(from->to_receive.front(), next.what == routed_message::kind::attached ? "attached"
                                        : next.what == routed_message::kind::detached
                                            ? "detached"
                                            : next.content.front());
    received_ += next.what == routed_message::kind::message ? 1U : 0U;
    from->to_receive.pop_front();
    from->gone = !from->durable && !from->attached && from->to_receive.empty();
    from->passed_over = 0;
    for (auto& p : peers_) {
      p->passed_over = p->to_receive.empty() || p->paused ? 0 : p->passed_over + 1;
      // A new peer goes to the end, so each peer waits for all others at most once.
      ASSERT_LE(p->passed_over, static_cast<int>(peers_.size()));
    }
  }

  void send() {
    const auto text = std::to_string(count_++);
    message m{text};
    if constexpr (addressed) {
      auto* to = any([](const known_peer&) { return true; });
      if (to == nullptr) {
        return;
      }
      const bool alive = to->attached || to->durable;
      const bool full = state_.find(to->id)->out.full();
      ASSERT_EQ(state_.writable(to->id), alive && !full);
      const auto status = state_.send(to->id, std::move(m));
      ASSERT_EQ(status, !alive ? send_status::unknown
                        : full ? send_status::full
                               : send_status::queued);
      if (status == send_status::queued) {
        to->to_write.push_back(text);
        ++sent_;
      }
    } else {
      const auto has_room = [&](const known_peer& q) {
        return (q.attached || q.durable) && !state_.find(q.id)->out.full();
      };
      const bool room = sends && any(has_room) != nullptr;
      ASSERT_EQ(state_.writable(), room);
      const auto status = state_.send(std::move(m));
      if (sends) {
        ASSERT_EQ(status, room ? send_status::queued : send_status::full);
      }
      if (room) {
        ++sent_;
        // The queue that grew shows the peer.
        auto* to = any([&](const known_peer& q) {
          return (q.attached || q.durable) && rest_of(q.id).ends_with(framed({text}));
        });
        ASSERT_NE(to, nullptr);
        to->to_write.push_back(text);
      }
    }
  }
  void write() {
    if (auto* p = any([](const known_peer& q) { return q.attached; })) {
      p->written += test::write(state_, p->id, pick(20)).size();
      while (!p->to_write.empty() && p->written >= framed({p->to_write.front()}).size()) {
        p->written -= framed({p->to_write.front()}).size();
        p->to_write.pop_front();
      }
    }
  }

  std::string rest_of(peer_id id) {
    std::array<send_queue::piece, 64> pieces;
    std::string rest;
    const auto count = state_.find(id)->out.gather(pieces);
    for (std::size_t i = 0; i < count; ++i) {
      rest.append(reinterpret_cast<const char*>(pieces[i].data()), pieces[i].size());
    }
    return rest;
  }

  void check() {
    for (const auto& p : peers_) {
      ASSERT_EQ(state_.find(p->id) == nullptr, p->gone);
      if (!p->gone) {
        std::string expected;
        for (const auto& text : p->to_write) {
          expected += framed({text});
        }
        ASSERT_EQ(rest_of(p->id), expected.substr(p->written));
        ASSERT_EQ(state_.find(p->id)->in.size(), p->to_receive.size());
      } else if constexpr (addressed) {
        ASSERT_EQ(state_.send(p->id, {"to nobody"}), send_status::unknown);
      }
    }
    const bool something =
        any([](const known_peer& q) { return !q.paused && !q.to_receive.empty(); }) != nullptr;
    ASSERT_EQ(state_.readable(), something);
    ASSERT_EQ(state_.counters().messages_sent, sent_);
    ASSERT_EQ(state_.counters().messages_received, received_);
    ASSERT_EQ(state_.counters().dropped_detached, dropped_);
    ASSERT_EQ(state_.counters().dropped_unexpected, unexpected_);
  }

  std::mt19937 random_;
  State state_;
  std::vector<std::unique_ptr<known_peer>> peers_;
  int count_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t unexpected_ = 0;
};

template <class State>
void use_sockets_at_random() {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_use_of_sockets<State>{seed}.run();
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

TEST(socket_state_model, dealer_equals_a_plain_account) { use_sockets_at_random<dealer_state>(); }

TEST(socket_state_model, router_equals_a_plain_account) { use_sockets_at_random<router_state>(); }

TEST(socket_state_model, push_equals_a_plain_account) { use_sockets_at_random<push_state>(); }

TEST(socket_state_model, pull_equals_a_plain_account) { use_sockets_at_random<pull_state>(); }

}  // namespace
}  // namespace zmtp
