// The account of a queue: it counts whole blocks, each once, and limits what the queue takes.

#include "zmtp/buffer/memory_account.h"

#include "test/zmtp/buffer/no_mark.h"
#include "zmtp/buffer/block.h"
#include "zmtp/buffer/receive_queue.h"
#include "zmtp/buffer/send_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::no_mark;

constexpr std::ptrdiff_t entry_size = sizeof(queue_entry);

message_run run_of(const block_ptr& memory, std::size_t size, std::size_t messages) {
  return {.memory = memory, .data = memory->data(), .size = size, .messages = messages};
}
constexpr std::ptrdiff_t object_size = sizeof(message);
constexpr auto small = static_cast<std::ptrdiff_t>(block_size::small);
constexpr auto large = static_cast<std::ptrdiff_t>(block_size::large);

message of(std::size_t bytes) { return message{std::string(bytes, 'x')}; }

// A slice of a block that others lie in, too, as it is read.
message slice(const block_ptr& memory, std::size_t bytes, std::size_t begin = 0) {
  auto* const at = memory->data() + begin;
  at[0] = std::byte{2};
  for (int i = 0; i < 8; ++i) {
    at[1 + i] = static_cast<std::byte>(bytes >> (8 * (7 - i)));
  }
  return message{memory, std::span{at, bytes + 9}, 1};
}

void write(send_queue& queue, std::size_t bytes) { queue.advance(bytes); }

TEST(memory_account, counts_the_chunks_of_a_send_queue) {
  memory_account account;
  send_queue queue{no_mark, &account};
  EXPECT_EQ(account.bytes(), 0);
  queue.push(of(10));
  EXPECT_EQ(account.bytes(), small + entry_size);
  queue.push(of(100));
  EXPECT_EQ(account.bytes(), small + entry_size) << "the chunk has space for both";
  queue.push(of(4'000));
  EXPECT_EQ(account.bytes(), 2 * small + 2 * entry_size);
  queue.push(of(100));
  EXPECT_EQ(account.bytes(), 2 * small + 8 * 1024 + 3 * entry_size) << "as large as what waits";
  write(queue, queue.bytes() - 1);
  EXPECT_EQ(account.bytes(), 8 * 1024 + entry_size);
  write(queue, 1);
  EXPECT_EQ(account.bytes(), 0);
}

TEST(memory_account, counts_the_whole_block_of_a_large_message) {
  memory_account account;
  send_queue queue{no_mark, &account};
  const block_ptr memory{block::create(20'000)};
  queue.push(slice(memory, 6'000));
  EXPECT_EQ(account.bytes(), 20'000 + entry_size);
  queue.push(slice(memory, 7'000));
  EXPECT_EQ(account.bytes(), 20'000 + 2 * entry_size) << "each block once";
  write(queue, 6'009);
  EXPECT_EQ(account.bytes(), 20'000 + entry_size);
  write(queue, 7'009);
  EXPECT_EQ(account.bytes(), 0);
}

TEST(memory_account, counts_only_the_message_after_a_turn) {
  memory_account account;
  send_queue queue{no_mark, &account};
  const block_ptr memory{block::create(block_size::reading)};
  queue.push(slice(memory, 6'000));
  EXPECT_EQ(account.bytes(), static_cast<std::ptrdiff_t>(block_size::reading) + entry_size);
  queue.compact();
  EXPECT_EQ(account.bytes(), 6'009 + entry_size);
  queue.clear();
  EXPECT_EQ(account.bytes(), 0);
}

TEST(memory_account, counts_a_published_message_once_for_all_queues) {
  memory_account account;
  std::vector<std::unique_ptr<send_queue>> queues;
  for (int i = 0; i < 10; ++i) {
    queues.push_back(std::make_unique<send_queue>(no_mark, &account));
  }
  const auto body = of(100'000);
  const auto body_size = static_cast<std::ptrdiff_t>(body.tail_block()->capacity());
  const block_ptr framed{block::create(block_size::large)};
  for (const auto& each : queues) {
    each->push(message{body});
    each->push(run_of(framed, 50'000, 50));
  }
  EXPECT_EQ(account.bytes(), body_size + large + 20 * entry_size);
  for (int i = 0; i < 9; ++i) {
    queues.pop_back();
  }
  EXPECT_EQ(account.bytes(), body_size + large + 2 * entry_size) << "the slowest pins it all";
  queues.front()->advance(queues.front()->bytes());
  EXPECT_EQ(account.bytes(), 0);
}

TEST(memory_account, charges_a_shared_block_to_its_first_owner_and_credits_the_last) {
  memory_account one;
  memory_account other;
  send_queue of_one{no_mark, &one};
  send_queue of_other{no_mark, &other};
  const auto body = of(10'000);
  const auto size = static_cast<std::ptrdiff_t>(body.tail_block()->capacity());
  of_one.push(message{body});
  of_other.push(message{body});
  EXPECT_EQ(one.bytes(), size + entry_size);
  EXPECT_EQ(other.bytes(), entry_size);
  of_one.clear();
  EXPECT_EQ(one.bytes(), size);
  of_other.clear();
  EXPECT_EQ(other.bytes(), -size);
  EXPECT_EQ(one.bytes() + other.bytes(), 0);
}

TEST(memory_account, counts_messages_handed_over_until_they_are_released) {
  memory_account account;
  send_queue queue{no_mark, &account};
  queue.push(of(10));
  queue.push(of(10'000));
  std::vector<queue_entry> away;
  queue.hand_over(away);
  const auto bytes = static_cast<std::ptrdiff_t>(queue.bytes());
  EXPECT_EQ(account.bytes(), bytes);
  queue.push(of(20));
  EXPECT_EQ(account.bytes(), bytes + small + entry_size);
  queue.hand_over(away);
  EXPECT_EQ(account.bytes(), bytes + 22);
  queue.release(2, static_cast<std::size_t>(bytes));
  EXPECT_EQ(account.bytes(), 22);
  queue.clear();
  EXPECT_EQ(account.bytes(), 0);
}

TEST(memory_account, counts_a_block_handed_over_to_several_queues_once) {
  memory_account account;
  const block_ptr body{block::create(10'009)};
  std::vector<std::unique_ptr<send_queue>> queues;
  for (int i = 0; i < 5; ++i) {
    queues.push_back(std::make_unique<send_queue>(no_mark, &account));
    queues.back()->push(slice(body, 10'000));
  }
  std::vector<std::vector<queue_entry>> away(queues.size());
  const auto bytes = queues.front()->bytes();
  for (std::size_t i = 0; i < queues.size(); ++i) {
    queues[i]->hand_over(away[i]);
  }
  EXPECT_EQ(account.bytes(), static_cast<std::ptrdiff_t>(bytes));
  for (const auto& queue : queues) {
    queue->release(1, bytes);
    EXPECT_EQ(queue->bytes(), 0U);
  }
  EXPECT_EQ(account.bytes(), 0);
}

TEST(memory_account, does_not_count_dropped_messages) {
  memory_account account;
  send_queue queue{no_mark, &account};
  for (int i = 0; i < 3; ++i) {
    queue.push(of(10'000));
  }
  queue.advance(1);
  EXPECT_EQ(queue.drop_unbegun(), 2U);
  EXPECT_LT(account.bytes(), 20'000);
  queue.rewind();
  EXPECT_EQ(queue.drop_unbegun(), 1U);
  EXPECT_EQ(account.bytes(), 0);
}

TEST(memory_account, counts_messages_of_a_receive_queue_and_blocks_of_large_ones) {
  memory_account account;
  receive_queue queue{no_mark, &account};
  const block_ptr memory{block::create(block_size::reading)};
  queue.push(of(10));
  queue.push(slice(memory, 6'000));
  queue.push(slice(memory, 100'000, 10'000));
  EXPECT_EQ(account.bytes(), object_size + 6'009 + 100'009);
  queue.compact();
  EXPECT_EQ(account.bytes(),
            3 * entry_size + 6'009 + static_cast<std::ptrdiff_t>(block_size::reading));
  queue.push(slice(memory, 70'000, 120'000));
  (void)queue.pop();
  (void)queue.pop();
  EXPECT_EQ(account.bytes(),
            entry_size + static_cast<std::ptrdiff_t>(block_size::reading) + 70'009);
  (void)queue.pop();
  EXPECT_EQ(account.bytes(), 70'009);
  queue.clear();
  EXPECT_EQ(account.bytes(), 0);
}

TEST(memory_account, limits_non_empty_queues_only) {
  memory_account account;
  send_queue out{no_mark, &account};
  receive_queue in{no_mark, &account};
  account.allow(1'000);
  EXPECT_FALSE(out.full());
  EXPECT_FALSE(in.full());
  EXPECT_EQ(out.room_for_bytes(), 1'000U);
  out.push(of(500));
  in.push(of(500));
  EXPECT_FALSE(out.full());
  EXPECT_FALSE(in.full());
  out.push(of(500));
  in.push(of(500));
  EXPECT_TRUE(out.full());
  EXPECT_TRUE(out.over_quota());
  EXPECT_FALSE(out.at_mark());
  EXPECT_EQ(out.room_for_bytes(), 0U);
  EXPECT_TRUE(in.full());
  EXPECT_FALSE(in.half_empty());
  (void)in.pop();
  EXPECT_FALSE(in.full());
  EXPECT_FALSE(in.half_empty());
  (void)in.pop();
  EXPECT_TRUE(in.half_empty());
  account.allow(memory_account::unlimited);
  EXPECT_FALSE(out.full());
}

// Queues of two sockets that share blocks, under random use: the sum of the accounts equals the
// memory of the queues, as counted from outside.
class random_use {
public:
  explicit random_use(unsigned seed) : random_{seed} {
    for (std::size_t i = 0; i < 4; ++i) {
      out_[i] = std::make_unique<send_queue>(no_mark, &accounts_[i % 2]);
      in_[i] = std::make_unique<receive_queue>(no_mark, &accounts_[i % 2]);
    }
  }

  void run() {
    for (int i = 0; i < 1'000; ++i) {
      act(pick(out_.size()));
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
    for (std::size_t i = 0; i < out_.size(); ++i) {
      out_[i].reset();
      in_[i].reset();
    }
    EXPECT_EQ(accounts_[0].bytes() + accounts_[1].bytes(), 0);
  }

private:
  void act(std::size_t which) {
    auto& out = *out_[which];
    auto& in = *in_[which];
    const auto before = accounts_[0].bytes() + accounts_[1].bytes();
    switch (pick(11)) {
      case 0: out.push(of(pick(300))); break;
      case 1: out.push(of(pick(40'000))); break;
      case 2: publish(); break;
      case 3: out.advance(pick(out_bytes(out) + 1)); break;
      case 4: out.rewind(); break;
      case 5: out.compact(); break;
      case 6: in.push(pick(2) == 0 ? of(pick(300)) : next_slice(pick(60'000))); break;
      case 7: in.compact(); break;
      case 8:
        if (!in.empty()) {
          // Passed on.
          out.push(in.pop());
        }
        break;
      case 9:
        if (pick(10) == 0) {
          out.clear();
          in.clear();
        }
        break;
      case 10:
        if (pick(10) == 0) {
          (void)out.drop_unbegun();
        }
        break;
    }
    if (pick(50) == 0) {
      use_new_block();
    }
    if (all_empty()) {
      ASSERT_EQ(accounts_[0].bytes() + accounts_[1].bytes(), 0);
    } else {
      ASSERT_GE(accounts_[0].bytes() + accounts_[1].bytes(), 0) << before;
    }
  }
  void use_new_block() {
    shared_ = block_ptr{block::create(block_size::reading)};
    used_ = 0;
  }
  message next_slice(std::size_t bytes) {
    if (used_ + bytes + 9 > shared_->capacity()) {
      use_new_block();
    }
    return slice(shared_, bytes, std::exchange(used_, used_ + bytes + 9));
  }
  void publish() {
    const auto body = of(5'000 + pick(50'000));
    const block_ptr framed{block::create(block_size::large)};
    const auto size = pick(block_size::large);
    for (const auto& each : out_) {
      if (pick(3) != 0) {
        each->push(message{body});
        each->push(run_of(framed, frame_into(*framed.get(), size), 1));
      }
    }
  }
  // Frames a message of about `bytes` bytes.
  static std::size_t frame_into(block& memory, std::size_t bytes) {
    const auto m = of(std::max<std::size_t>(bytes, 300) - 300);
    std::copy(m.head().begin(), m.head().end(), memory.data());
    std::copy(m.tail().begin(), m.tail().end(), memory.data() + m.head().size());
    return m.framed_size();
  }
  // Returns the number of bytes left to write.
  static std::size_t out_bytes(send_queue& queue) {
    std::array<send_queue::piece, 64> pieces;
    std::size_t bytes = 0;
    const auto count = queue.gather(pieces);
    for (std::size_t i = 0; i < count; ++i) {
      bytes += pieces[i].size();
    }
    return bytes;
  }
  [[nodiscard]] bool all_empty() const {
    return std::all_of(out_.begin(), out_.end(), [](const auto& q) { return q->empty(); }) &&
           std::all_of(in_.begin(), in_.end(), [](const auto& q) { return q->empty(); });
  }
  std::size_t pick(std::size_t below) { return random_() % below; }

  std::mt19937 random_;
  std::array<memory_account, 2> accounts_;
  block_ptr shared_{block::create(block_size::reading)};
  std::size_t used_ = 0;  // bytes of `shared_`
  std::array<std::unique_ptr<send_queue>, 4> out_;
  std::array<std::unique_ptr<receive_queue>, 4> in_;
};

TEST(memory_account, under_random_use_returns_to_zero) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    random_use{seed}.run();
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp
