#include "zmtp/decoder.h"

#include "test/support/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>

namespace zmtp {
namespace {

using found = decoder::found;
using test::bytes;
using test::frame;
using test::frame_header;
using test::framed;

// Bytes that are all available, decoded only as far as requested.
class looking {
public:
  explicit looking(std::string text, const limits& limit = {})
      : limit_{limit}, decoder_{limit_}, text_{std::move(text)} {}

  // In memory of exactly this size, where a sanitizer sees a look beyond it.
  found at(std::size_t size, zmtp::frame::cut most = {.bytes = 1, .messages = 1}) {
    exact_.reset(new char[size]);
    text_.copy(exact_.get(), size);
    const auto seen = decoder_.look({reinterpret_cast<std::byte*>(exact_.get()), size}, most);
    text_.replace(0, size, exact_.get(), size);  // with the flags that were cleared
    return seen;
  }
  found at_all() { return at(text_.size()); }

  decoder& operator*() { return decoder_; }
  decoder* operator->() { return &decoder_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  void cut(std::size_t from, std::size_t size) { text_.erase(from, size); }

private:
  limits limit_;
  decoder decoder_;
  std::string text_;
  std::unique_ptr<char[]> exact_;
};

TEST(decoder, finds_a_message_when_its_last_byte_has_arrived) {
  for (const std::size_t size : {0U, 1U, 255U, 256U, 65'535U}) {
    looking l{framed({std::string(size, 'x')})};
    const auto header = size <= 255 ? 2U : 9U;
    for (std::size_t come = 0; come < std::min<std::size_t>(l.text().size(), 20); ++come) {
      ASSERT_EQ(l.at(come), found::more);
    }
    ASSERT_EQ(l.at(l.text().size() - 1), found::more);
    EXPECT_EQ(l->needed(), header + size);
    ASSERT_EQ(l.at_all(), found::message);
    EXPECT_EQ(l->size(), header + size);
    EXPECT_EQ(l->parts(), 1U);
  }
}

TEST(decoder, reports_how_many_bytes_are_needed) {
  looking l{framed({"ab", std::string(300, 'x')})};
  const std::size_t needed[] = {2, 2, 4, 4, 6, 6, 13};
  for (std::size_t come = 0; come < std::size(needed); ++come) {
    ASSERT_EQ(l.at(come), found::more);
    EXPECT_EQ(l->needed(), needed[come]) << come;
  }
  ASSERT_EQ(l.at(13), found::more);
  EXPECT_EQ(l->needed(), 313U);
  EXPECT_EQ(l.at_all(), found::message);
}

TEST(decoder, finds_messages_one_after_the_other) {
  const auto first = framed({"a", "", "c"});
  looking l{first + framed({"second"}) + framed({"cut"}).substr(0, 3)};
  ASSERT_EQ(l.at_all(), found::message);
  EXPECT_EQ(l->size(), first.size());
  EXPECT_EQ(l->parts(), 3U);
  l->messages_taken();
  l.cut(0, first.size());
  ASSERT_EQ(l.at_all(), found::message);
  EXPECT_EQ(l->size(), 8U);
  EXPECT_EQ(l->parts(), 1U);
  l->messages_taken();
  l.cut(0, 8);
  ASSERT_EQ(l.at_all(), found::more);
  EXPECT_EQ(l->needed(), 5U);
}

TEST(decoder, finds_a_command_between_the_parts_of_a_message) {
  const auto ping = test::ping("x");
  looking l{frame(test::more, "a") + ping + frame(test::more, "b") + ping + ping + frame(0, "c")};
  ASSERT_EQ(l.at_all(), found::command);
  EXPECT_EQ(l->size(), 3U);
  EXPECT_EQ(l->command_size(), ping.size());
  l.cut(0, 3 + ping.size());
  l->command_taken();
  for (const std::size_t size : {3U, 0U}) {
    ASSERT_EQ(l.at_all(), found::command);
    EXPECT_EQ(l->size(), size);
    l.cut(0, size + ping.size());
    l->command_taken();
  }
  ASSERT_EQ(l.at_all(), found::message);
  EXPECT_EQ(l->parts(), 3U);
  EXPECT_EQ(l.text(), frame(0, "c"));
  EXPECT_EQ(l->size(), 3U);
}

TEST(decoder, parts_before_a_command_count_for_the_size_of_the_message) {
  for (const std::size_t most : {9U, 8U}) {
    looking l{frame(test::more, "a") + test::pong() + frame(test::more, "b") + test::pong() +
                  frame(0, "c"),
              {.message_size = most}};
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(l.at_all(), found::command);
      l.cut(0, 3 + test::pong().size());
      l->command_taken();
    }
    ASSERT_EQ(l.at_all(), most == 9 ? found::message : found::fault);
    EXPECT_EQ(l->fault(), most == 9 ? error_code{} : errc::message_too_large);
  }
}

TEST(decoder, reports_how_many_bytes_are_needed_after_a_command) {
  looking l{frame(test::more, std::string(40, 'a')) + test::pong() + frame_header(0, 300)};
  ASSERT_EQ(l.at_all(), found::command);
  l.cut(0, 42 + test::pong().size());
  l->command_taken();
  ASSERT_EQ(l.at_all(), found::more);
  EXPECT_EQ(l->needed(), 309U);
}

TEST(decoder, limits_the_commands_between_the_parts_of_each_message) {
  const limits limit{.message_commands = 2};
  looking l{frame(test::more, "a") + test::pong() + test::pong() + frame(0, "b") + test::pong() +
                test::pong() + test::pong() + frame(test::more, "c") + test::pong() + test::pong() +
                frame_header(test::command, 100),
            limit};
  const auto expect_commands = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(l.at_all(), found::command);
      l.cut(0, l->size() + l->command_size());
      l->command_taken();
    }
  };
  expect_commands(2);
  ASSERT_EQ(l.at_all(), found::message);
  l.cut(0, l->size());
  l->messages_taken();
  expect_commands(5);
  EXPECT_EQ(l.at_all(), found::fault) << "by its header";
  EXPECT_EQ(l->fault(), errc::too_many_commands);
}

TEST(decoder, applies_limits_that_become_lower_within_a_message) {
  const limits high{.message_parts = 5, .message_commands = 5};
  const auto fault_after = [&](const std::string& begun, const std::string& next, limits lower) {
    auto limit = high;
    decoder d{limit};
    auto text = begun;
    const auto look = [&] {
      return d.look({reinterpret_cast<std::byte*>(text.data()), text.size()});
    };
    while (look() == found::command) {
      text.erase(0, d.size() + d.command_size());
      d.command_taken();
    }
    limit = lower;
    text += next;
    EXPECT_EQ(look(), found::fault);
    return d.fault();
  };
  const auto part = frame(test::more, "a");
  EXPECT_EQ(fault_after(part + part + part, part, {.message_parts = 2}), errc::too_many_parts);
  EXPECT_EQ(fault_after(part + test::pong() + test::pong() + test::pong(), test::pong(),
                        {.message_commands = 2}),
            errc::too_many_commands);
}

TEST(decoder, clears_reserved_flags_of_parts_and_understands_the_others) {
  for (unsigned flags = 0; flags < 256; ++flags) {
    if ((flags & test::command) != 0) {
      continue;
    }
    looking l{frame(flags, "body")};
    const auto seen = l.at_all();
    EXPECT_EQ(seen, (flags & test::more) != 0 ? found::more : found::message) << flags;
    EXPECT_EQ(l->parts(), 1U);
    EXPECT_EQ(l.text(), frame(flags & 3, "body")) << flags;
  }
}

TEST(decoder, a_command_may_have_reserved_flags_and_not_more) {
  for (unsigned flags = 0; flags < 256; ++flags) {
    if ((flags & test::command) == 0) {
      continue;
    }
    looking l{frame(flags, "body")};
    const auto seen = l.at_all();
    if ((flags & test::more) != 0) {
      EXPECT_EQ(seen, found::fault) << flags;
      EXPECT_EQ(l->fault(), errc::bad_frame_flags);
    } else {
      EXPECT_EQ(seen, found::command) << flags;
      EXPECT_EQ(l->command_size(), l.text().size());
    }
  }
}

// So libzmq 4.3.4 writes SUBSCRIBE of a topic of 246 to 255 bytes.
TEST(decoder, a_command_may_have_a_long_size_without_its_flag) {
  for (const std::size_t size : {256U, 265U}) {
    const auto without_flag = bytes("04 00*6 01") + static_cast<char>(size - 256);
    const std::string body(size, 'x');
    const auto part = frame(test::more, "a");
    const auto all = part + without_flag + body + frame(0, "c");
    const auto whole = part.size() + without_flag.size() + size;
    for (std::size_t cut = 0; cut < all.size(); ++cut) {
      looking l{all};
      const auto early = l.at(cut);
      EXPECT_EQ(early, cut < whole ? found::more : found::command) << cut;
      if (cut >= part.size() + without_flag.size() && cut < whole) {
        EXPECT_EQ(l->needed(), whole) << cut;
      }
      ASSERT_EQ(l.at_all(), found::command) << cut;
      EXPECT_EQ(l->size(), part.size());
      ASSERT_EQ(l->command_size(), without_flag.size() + size);
      EXPECT_EQ(l.text().substr(part.size(), l->command_size()), frame(test::command, body));
      l.cut(part.size(), l->command_size());
      l->command_taken();
      ASSERT_EQ(l.at_all(), found::message) << cut;
      EXPECT_EQ(l.text(), framed({"a", "c"}));
    }
  }
}

TEST(decoder, an_error_is_found_as_soon_as_the_header_has_arrived) {
  const limits limit{.handshake_command_size = 20,
                     .command_size = 30,
                     .frame_size = 1000,
                     .message_size = 1500,
                     .message_parts = 3};
  const auto part = frame(test::more, std::string(600, 'p'));
  const struct {
    const char* what;
    std::string sent;
    errc fault;
  } faults[] = {
      {"MORE on a command", bytes("05 00"), errc::bad_frame_flags},
      {"a size with its top bit", bytes("02 80 00*7"), errc::bad_frame_size},
      {"the largest size", bytes("02 ff*8"), errc::bad_frame_size},
      {"a command with the largest size", bytes("06 ff*8"), errc::bad_frame_size},
      {"the largest size that may be said", bytes("02 7f ff*7"), errc::frame_too_large},
      {"a frame above the limit", frame_header(0, 1001), errc::frame_too_large},
      {"a message above the limit", part + part + frame_header(0, 282 - 1),
       errc::message_too_large},
      {"a part too many",
       frame(test::more, "") + frame(test::more, "") + frame(test::more, "") + frame_header(0, 0),
       errc::too_many_parts},
      {"a command above the limit", frame_header(test::command, 21), errc::command_too_large},
      {"a command far above the limit", bytes("06 7f ff*7"), errc::command_too_large},
      {"the same without the flag", bytes("04 00 ff*7"), errc::command_too_large},
  };
  for (const auto& [what, sent, fault] : faults) {
    looking l{sent, limit};
    for (std::size_t come = 0; come < sent.size(); ++come) {
      ASSERT_EQ(l.at(come), found::more) << what << ' ' << come;
      ASSERT_EQ(l->fault(), error_code{});
    }
    ASSERT_EQ(l.at_all(), found::fault) << what;
    EXPECT_EQ(l->fault(), fault) << what;
  }
}

TEST(decoder, each_limit_may_be_reached) {
  const limits limit{.handshake_command_size = 20,
                     .command_size = 30,
                     .frame_size = 1000,
                     .message_size = 1500,
                     .message_parts = 3};
  const auto half = frame(test::more, std::string(600, 'p'));
  EXPECT_EQ(looking(frame(0, std::string(1000, 'x')), limit).at_all(), found::message);
  EXPECT_EQ(
      looking(half + half + frame(0, std::string(1500 - 2 * half.size() - 9, 'x')), limit).at_all(),
      found::message);
  EXPECT_EQ(looking(framed({"", "", ""}), limit).at_all(), found::message);
  EXPECT_EQ(looking(frame(test::command, std::string(20, 'x')), limit).at_all(), found::command);
  looking later{frame(test::command, std::string(30, 'x')), limit};
  later->handshake_done();
  EXPECT_EQ(later.at_all(), found::command);
  looking too_large{frame_header(test::command, 31), limit};
  too_large->handshake_done();
  EXPECT_EQ(too_large.at_all(), found::fault);
}

// The limits of a run: one message.
zmtp::frame::cut one_message() { return {.bytes = 1, .messages = 1}; }

// Everything that a stream of bytes is found to be, as text. `most` limits each run of messages.
std::string all_found(std::string text, const limits& limit,
                      const std::function<std::size_t()>& piece,
                      const std::function<zmtp::frame::cut()>& most = one_message) {
  decoder d{limit};
  std::string held;
  std::string before;  // parts of the message in front of a command
  std::string seen;
  std::size_t come = 0;
  for (;;) {
    const auto room = most();
    switch (d.look(std::as_writable_bytes(std::span{held}), room)) {
      case found::more:
        if (come == text.size()) {
          return seen;
        } else {
          const auto next = text.substr(come, piece());
          held += next;
          come += next.size();
        }
        break;
      case found::message:
        EXPECT_LE(d.messages(), room.messages);
        for (auto messages = d.messages(), last = d.parts(), left = d.size(); messages != 0;
             --messages) {
          // Only the last message can have parts before a command.
          const auto reach = zmtp::frame::message_at(reinterpret_cast<std::byte*>(held.data()));
          const auto bytes = messages == 1 ? left : reach.bytes;
          EXPECT_LT(d.size() - left, room.bytes);
          seen += "message of " + std::to_string(messages == 1 ? last : reach.parts) + ": " +
                  std::exchange(before, {}) + held.substr(0, bytes) + "\n";
          held.erase(0, bytes);
          left -= bytes;
        }
        d.messages_taken();
        break;
      case found::command:
        seen += "command: " + held.substr(d.size(), d.command_size()) + "\n";
        before += held.substr(0, d.size());
        held.erase(0, d.size() + d.command_size());
        d.command_taken();
        break;
      case found::fault: return seen + d.fault().message();
    }
  }
}

TEST(decoder, finds_the_same_for_any_piece_sizes) {
  const limits limit{.handshake_command_size = 300, .frame_size = 500, .message_parts = 9};
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random{seed};
    const auto pick = [&](std::size_t n) { return random() % n; };
    std::string text;
    for (int i = 0; i < 20; ++i) {
      const unsigned flags[] = {0, 0, 1, 1, 2, 3, 4, 4, 6, static_cast<unsigned>(pick(256))};
      const std::size_t sizes[] = {0, 1, 5, 100, 255, 256, 300, pick(501)};
      text += frame(flags[pick(10)], std::string(sizes[pick(8)], static_cast<char>(pick(256))));
    }
    const auto whole = all_found(text, limit, [&] { return text.size(); });
    EXPECT_EQ(all_found(text, limit, [] { return 1; }), whole) << "seed " << seed;
    EXPECT_EQ(all_found(text, limit, [&] { return 1 + pick(40); }), whole) << "seed " << seed;
    EXPECT_EQ(all_found(text, limit, [&] { return 1 + pick(1000); }), whole) << "seed " << seed;
  }
}

TEST(decoder, finds_the_same_in_runs_of_any_length) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random{seed};
    const auto pick = [&](std::size_t n) { return random() % n; };
    const limits limit{.handshake_command_size = 300,
                       .frame_size = pick(4) == 0 ? 200U : 500U,
                       .message_size = pick(3) == 0 ? 200 + pick(400) : 100'000,
                       .message_parts = pick(9)};
    std::string text;
    for (int i = 0; i < 30; ++i) {
      const unsigned flags[] = {0, 0, 0, 0, 0, 0, 1, 1, 2, 4, 8, static_cast<unsigned>(pick(256))};
      const std::size_t sizes[] = {0, 1, 5, 5, 100, 255, 256, pick(501)};
      text += frame(flags[pick(pick(4) == 0 ? 12 : 11)],
                    std::string(sizes[pick(8)], static_cast<char>(pick(256))));
    }
    const auto any = [&] { return zmtp::frame::cut{1 + pick(2000), 1 + pick(20)}; };
    const auto no_limit = [&] { return zmtp::frame::cut{text.size(), text.size()}; };
    const auto singly = all_found(text, limit, [&] { return text.size(); });
    EXPECT_EQ(all_found(
                  text, limit, [&] { return text.size(); }, no_limit),
              singly)
        << "seed " << seed;
    EXPECT_EQ(all_found(
                  text, limit, [&] { return text.size(); }, any),
              singly)
        << "seed " << seed;
    EXPECT_EQ(all_found(
                  text, limit, [] { return 1; }, any),
              singly)
        << "seed " << seed;
    EXPECT_EQ(all_found(
                  text, limit, [&] { return 1 + pick(300); }, any),
              singly)
        << "seed " << seed;
  }
}

TEST(decoder, finds_many_messages_at_once) {
  const auto small = framed({std::string(16, 's')});
  const auto parts = framed({"a", std::string(300, 'b'), ""});
  const auto all = small + small + parts + small;
  for (std::size_t come = 0; come <= all.size(); ++come) {
    const auto whole = come < small.size()                      ? 0U
                       : come < 2 * small.size()                ? 1U
                       : come < 2 * small.size() + parts.size() ? 2U
                       : come < all.size()                      ? 3U
                                                                : 4U;
    looking l{all};
    EXPECT_EQ(l.at(come, {.bytes = all.size(), .messages = 100}),
              whole == 0 ? found::more : found::message);
    EXPECT_EQ(l->messages(), whole) << come;
    const std::size_t ends[] = {0, small.size(), 2 * small.size(), 2 * small.size() + parts.size(),
                                all.size()};
    if (whole != 0) {
      EXPECT_EQ(l->size(), ends[whole]);
    }
  }
}

TEST(decoder, applies_the_limit_of_a_message_to_its_short_parts) {
  const limits limit{.message_size = 100};
  const auto message_of = [](std::size_t size) {
    return framed({"a", "", std::string(size - 7, 'x')});
  };
  looking limited{message_of(100) + message_of(101), limit};
  EXPECT_EQ(limited.at(201, {.bytes = 201, .messages = 100}), found::message);
  EXPECT_EQ(limited->messages(), 1U);
  limited->messages_taken();
  limited.cut(0, 100);
  EXPECT_EQ(limited.at_all(), found::fault);
  EXPECT_EQ(limited->fault(), errc::message_too_large);
}

TEST(decoder, ends_a_run_before_a_command_and_before_a_fault) {
  const auto two = framed({"1"}) + framed({"2"});
  for (const auto& next : {test::ping(), frame(test::more | test::command, "x")}) {
    looking l{two + next};
    EXPECT_EQ(l.at(l.text().size(), {.bytes = 100, .messages = 100}), found::message);
    EXPECT_EQ(l->messages(), 2U);
    EXPECT_EQ(l->size(), two.size());
    l->messages_taken();
    l.cut(0, two.size());
    EXPECT_EQ(l.at_all(), next == test::ping() ? found::command : found::fault);
  }
}

}  // namespace
}  // namespace zmtp
