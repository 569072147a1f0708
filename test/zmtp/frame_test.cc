#include "zmtp/frame.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace zmtp {
namespace {

// Runs of messages, of which most are as long as the one before.
class random_run {
public:
  explicit random_run(unsigned seed) : random_{seed} {
    const auto rarely = 1 + pick(6);
    std::size_t size = pick(40);
    for (auto left = pick(60); left != 0; --left) {
      if (pick(rarely) == 0) {
        size = pick(300);
      }
      add_message(size);
    }
  }

  std::size_t pick(std::size_t n) { return random_() % n; }
  [[nodiscard]] std::size_t messages() const { return ends_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

  // Counts by the ends of the messages, as first_messages() must.
  [[nodiscard]] frame::cut expected(frame::cut most) const {
    frame::cut first;
    while (first.messages < ends_.size() && first.messages < most.messages &&
           first.bytes < most.bytes) {
      first.bytes = ends_[first.messages];
      ++first.messages;
    }
    return first;
  }
  // A copy of the right size shows a sanitizer every byte that is read behind the end.
  [[nodiscard]] frame::cut counted(frame::cut most) const {
    const std::vector<std::byte> own{bytes_};
    return frame::first_messages(own.data(), own.size(), most);
  }

private:
  void add_part(std::byte flags, std::size_t size) {
    const auto before = bytes_.size();
    bytes_.resize(before + frame::header_size(size) + size, std::byte{0});
    (void)frame::put_header(bytes_.data() + before, flags, size);
  }
  // Sometimes the message has the same size in two parts, or more parts of this size.
  void add_message(std::size_t size) {
    const auto form = pick(12);
    if (form == 0 && size >= 2 && size <= frame::max_short_body) {
      add_part(frame::more, 0);
      size -= 2;
    } else if (form == 1) {
      for (auto parts = pick(7); parts != 0; --parts) {
        add_part(frame::more, size);
      }
    }
    add_part({}, size);
    ends_.push_back(bytes_.size());
  }

  std::mt19937 random_;
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> ends_;
};

TEST(first_messages, ends_at_each_limit) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_run run{seed};
    for (std::size_t messages = 0; messages <= run.messages() + 1; ++messages) {
      const frame::cut most{.bytes = static_cast<std::size_t>(-1), .messages = messages};
      ASSERT_EQ(run.counted(most).messages, run.expected(most).messages);
      ASSERT_EQ(run.counted(most).bytes, run.expected(most).bytes);
    }
    for (int limits = 0; limits < 50; ++limits) {
      const frame::cut most{.bytes = run.pick(run.bytes() + 2),
                            .messages = 1 + run.pick(run.messages() + 10)};
      ASSERT_EQ(run.counted(most).messages, run.expected(most).messages);
      ASSERT_EQ(run.counted(most).bytes, run.expected(most).bytes);
    }
  }
}

}  // namespace
}  // namespace zmtp
