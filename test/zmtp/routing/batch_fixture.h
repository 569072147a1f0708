#pragma once
// Sockets that get the same messages one by one and in batches.

#include "test/support/routing.h"
#include "zmtp/decoder.h"
#include "zmtp/routing/socket_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {

inline std::string counts_of(const socket_counters& c) {
  std::string text;
  for (const auto n :
       {c.messages_sent, c.messages_received, c.dropped_full, c.dropped_over_budget,
        c.dropped_unknown, c.dropped_detached, c.dropped_unexpected, c.dropped_conflated}) {
    text += std::to_string(n) + " ";
  }
  return text;
}

inline std::string counts_of(const peer_counters& c) {
  return std::to_string(c.messages_sent) + " " + std::to_string(c.messages_received) + " " +
         std::to_string(c.dropped_full) + " " + std::to_string(c.dropped_over_budget) + " " +
         std::to_string(c.dropped_unexpected);
}

inline std::vector<std::string> split_messages(std::string framed) {
  const limits limit;
  decoder frames{limit};
  std::vector<std::string> all;
  while (frames.look(std::as_writable_bytes(std::span{framed})) == decoder::found::message) {
    all.push_back(framed.substr(0, frames.size()));
    framed.erase(0, frames.size());
    frames.messages_taken();
  }
  EXPECT_EQ(framed, "");
  return all;
}

// Two equal sockets: one for single messages, one for batches.
class two_sockets {
public:
  // If peers share the messages of a batch, the numbers of each and the messages of all are
  // compared. Byte marks would make the numbers depend on which messages a peer gets.
  template <class Make>
  two_sockets(unsigned seed, Make&& make, bool shared = false) : random_{seed}, shared_{shared} {
    options_.send_mark.messages = 1 + pick(60);
    options_.receive_mark = {.messages = {}, .bytes = {}};
    if (!shared && pick(2) == 0) {
      options_.send_mark.bytes = 1 + pick(20'000);
    }
    options_.policy = pick(2) == 0 ? send_policy::least_queued : send_policy::round_robin;
    options_.conflate = pick(8) == 0;
    single_ = make(options_);
    batched_ = make(options_);
  }

  std::size_t pick(std::size_t n) { return random_() % n; }
  [[nodiscard]] socket_state& single() { return *single_; }
  [[nodiscard]] socket_state& batched() { return *batched_; }

  void attach() {
    const auto name = "peer" + std::to_string(peers_.size());
    for (auto* const state : {single_.get(), batched_.get()}) {
      const auto id = attach_new(*state, name);
      if (state == single_.get()) {
        peers_.push_back(id);
      }
    }
  }
  void subscribe() {
    const std::string topic(pick(3), static_cast<char>('a' + pick(3)));
    const auto who = peers_[pick(peers_.size())];
    for (auto* const state : {single_.get(), batched_.get()}) {
      state->on_subscription(*state->find(who), true, topic);
    }
  }
  [[nodiscard]] message some_message() {
    message m{std::string(pick(4), static_cast<char>('a' + pick(4)))};
    for (auto further = pick(3); further != 0; --further) {
      const std::size_t sizes[] = {0, 10, 300, 5'000};
      m.push_back(std::string(sizes[pick(pick(10) == 0 ? 4 : 3)], 'p'));
    }
    return m;
  }
  [[nodiscard]] std::vector<message> some_messages() {
    std::vector<message> all;
    for (auto count = 1 + pick(50); count != 0; --count) {
      all.push_back(some_message());
    }
    return all;
  }

  // Framed by append(), or received.
  [[nodiscard]] message_batch batch_of(const std::vector<message>& all) {
    message_batch batch;
    if (pick(2) == 0) {
      batch.push_back({.content = run_of(all)});
    } else {
      for (const auto& m : all) {
        batch.append(m);
      }
    }
    return batch;
  }
  void send() { send(some_messages()); }
  void send(const std::vector<message>& all) {
    const auto then = pick(2) == 0 ? if_full::report : if_full::drop;
    auto batch = batch_of(all);
    auto expected = send_status::queued;
    std::size_t sent = 0;
    for (; sent < all.size(); ++sent) {
      expected = single_->send(message{all[sent]}, then);
      if (expected != send_status::queued) {
        break;
      }
    }
    auto status = send_status::queued;
    while (status == send_status::queued && !batch.empty()) {
      const auto before = batch.size();
      status = batched_->send(batch, then);
      ASSERT_TRUE(status != send_status::queued || batch.size() < before);
    }
    ASSERT_EQ(status, expected);
    ASSERT_EQ(batch.size(), all.size() - sent);
    if (!batch.empty()) {
      ASSERT_EQ(batch.front().to_message(), all[sent]);
    }
  }
  void write_some() {
    for (auto* const state : {single_.get(), batched_.get()}) {
      state->end_turn();
    }
    for (const auto id : peers_) {
      // Whole queues, because marks are released entry by entry.
      if (pick(2) == 0) {
        write_both(id);
      }
    }
  }
  // Call at the end.
  void check_all_written() {
    for (const auto id : peers_) {
      write_both(id);
    }
    std::ranges::sort(written_by_batched_);
    std::ranges::sort(written_by_single_);
    ASSERT_EQ(written_by_batched_, written_by_single_);
  }
  void check() {
    // PUB counts for its peers when a group ends.
    single_->end_turn();
    ASSERT_EQ(counts_of(batched_->counters()), counts_of(single_->counters()));
    for (const auto id : peers_) {
      ASSERT_EQ(counts_of(batched_->find(id)->counters), counts_of(single_->find(id)->counters));
    }
  }
  [[nodiscard]] const std::vector<peer_id>& peers() const { return peers_; }

private:
  void write_both(peer_id to) {
    const auto batched = write(*batched_, to);
    const auto single = write(*single_, to);
    if (!shared_ || options_.policy == send_policy::least_queued) {
      ASSERT_EQ(batched, single);
    } else if (!options_.conflate) {
      std::ranges::move(split_messages(batched), std::back_inserter(written_by_batched_));
      std::ranges::move(split_messages(single), std::back_inserter(written_by_single_));
    }
  }

  std::mt19937 random_;
  bool shared_;
  socket_options options_;
  std::unique_ptr<socket_state> single_;
  std::unique_ptr<socket_state> batched_;
  std::vector<peer_id> peers_;
  std::vector<std::string> written_by_batched_;
  std::vector<std::string> written_by_single_;
};

template <class State>
std::unique_ptr<socket_state> make_state(socket_options options) {
  if (find_fault(options, State::pattern)) {
    options.conflate = false;
    options.policy = {};
  }
  EXPECT_FALSE(find_fault(options, State::pattern));
  return std::make_unique<State>(options);
}

}  // namespace zmtp::test
