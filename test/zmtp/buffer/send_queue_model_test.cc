// The queue against a list of framed messages, under random use.

#include "test/support/wire.h"
#include "zmtp/buffer/block.h"
#include "zmtp/buffer/send_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <string>

namespace zmtp {
namespace {

// The output of the next connection if this one were lost, and how much of it this one has written.
struct model {
  std::deque<std::string> messages;  // not wholly written
  std::size_t written = 0;           // bytes of the first message, by this connection

  [[nodiscard]] std::string rest() const {
    std::string all;
    for (const auto& m : messages) {
      all += m;
    }
    return all.substr(written);
  }
  void advance(std::size_t count) {
    written += count;
    while (!messages.empty() && written >= messages.front().size()) {
      written -= messages.front().size();
      messages.pop_front();
    }
  }
};

class random_use_of_queue {
public:
  explicit random_use_of_queue(unsigned seed) : random_{seed} {
    mark_.messages = 1 + pick(60);
    mark_.bytes = 1 + pick(300'000);
  }

  void run() {
    send_queue queue{mark_};
    for (int step = 0; step < 300; ++step) {
      switch (pick(14)) {
        case 0:
          queue.rewind();
          expected_.written = 0;
          ASSERT_EQ(queue.messages(), expected_.messages.size());
          break;
        case 1:
          if (pick(20) == 0) {
            queue.clear();
            expected_ = {};
          }
          break;
        case 2:
        case 3:
        case 4: write(queue); break;
        case 5:
        case 6:
          if (!queue.full()) {
            push_framed(queue);
          }
          break;
        default:
          if (!queue.full()) {
            push(queue);
          }
      }
      compare(queue);
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }

private:
  std::size_t pick(std::size_t n) { return random_() % n; }

  void push(send_queue& queue) {
    const std::size_t sizes[] = {0, 1, 90, 255, 256, 2000, 4096, 4097, 20'000};
    message m;
    test::parts parts;
    for (auto count = 1 + pick(4); count > 0; --count) {
      parts.push_back(std::string(sizes[pick(9)], static_cast<char>('a' + pick(26))));
      if (pick(2) == 0) {
        m.adopt_back(std::string{parts.back()});
      } else {
        m.push_back(parts.back());
      }
    }
    queue.push(std::move(m));
    expected_.messages.push_back(test::framed(parts));
  }

  // Pushes as PUB does: messages in a block that several queues share.
  void push_framed(send_queue& queue) {
    const block_ptr memory{block::create(64 * 1024)};
    std::size_t size = 0;
    std::size_t messages = 0;
    const auto longest = pick(2) == 0 ? 100U : 2'000U;
    for (auto count = 1 + pick(30); count > 0; --count) {
      test::parts parts;
      for (auto part = 1 + pick(3); part > 0; --part) {
        parts.push_back(std::string(pick(longest), static_cast<char>('a' + pick(26))));
      }
      const auto framed = test::framed(parts);
      if (size + framed.size() > memory->capacity()) {
        break;
      }
      framed.copy(reinterpret_cast<char*>(memory->data()) + size, framed.size());
      size += framed.size();
      ++messages;
      expected_.messages.push_back(framed);
    }
    queue.push(
        message_run{.memory = memory, .data = memory->data(), .size = size, .messages = messages});
  }

  void write(send_queue& queue) {
    std::array<send_queue::piece, 64> pieces;
    const auto room = 1 + pick(pieces.size());
    std::size_t offered = 0;
    for (std::size_t i = 0, count = queue.gather(std::span{pieces}.first(room)); i < count; ++i) {
      offered += pieces[i].size();
    }
    const auto written = pick(2) == 0 ? offered : pick(offered + 1);
    queue.advance(written);
    expected_.advance(written);
  }

  void compare(send_queue& queue) {
    const auto rest = expected_.rest();
    ASSERT_EQ(queue.empty(), rest.empty());
    std::array<send_queue::piece, 64> pieces;
    const auto all = text_of(std::span{pieces}.first(queue.gather(pieces)));
    ASSERT_EQ(all, rest.substr(0, all.size()));
    ASSERT_EQ(all.empty(), rest.empty());
    // The queue counts the bytes that are left, and at most one partly written chunk.
    ASSERT_GE(queue.messages(), expected_.messages.size());
    ASSERT_GE(queue.bytes(), rest.size());
    ASSERT_LE(queue.bytes(), rest.size() + 64 * 1024);
    ASSERT_EQ(queue.full(), queue.messages() >= *mark_.messages || queue.bytes() >= *mark_.bytes);
    if (!queue.at_boundary()) {
      const auto begun = text_of(std::span{pieces}.first(queue.gather_begun(pieces)));
      ASSERT_EQ(begun, rest.substr(0, begun.size()));
      ASSERT_EQ(test::content_of(rest_behind(begun.size())).unread, 0U) << "cuts a message";
    } else {
      ASSERT_EQ(expected_.written, 0U);
    }
  }

  [[nodiscard]] std::string rest_behind(std::size_t bytes) const {
    return expected_.rest().substr(bytes);
  }

  static std::string text_of(std::span<const send_queue::piece> pieces) {
    std::string text;
    for (const auto piece : pieces) {
      text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
    return text;
  }

  std::mt19937 random_;
  high_water_mark mark_;
  model expected_;
};

TEST(send_queue_model, random_use_equals_a_list_of_framed_messages) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_use_of_queue{seed}.run();
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp
