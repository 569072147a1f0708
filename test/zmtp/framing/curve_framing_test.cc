#include "zmtp/framing/curve_framing.h"

#include "test/support/fixed_random.h"
#include "test/support/wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using test::bytes;
using test::framed;
using side = curve_framing::side;

curve::box_key shared() {
  const auto a = make_key_pair(test::fixed_random(1));
  const auto b = make_key_pair(test::fixed_random(2));
  return *curve::shared_key(a.public_key, b.secret_key);
}

curve_framing of_client(const limits& limit = {}) { return {side::client, shared(), 2, 1, limit}; }
curve_framing of_server(const limits& limit = {}) { return {side::server, shared(), 1, 2, limit}; }

std::size_t count_frames(std::string_view frames) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < frames.size(); ++count) {
    const auto* const header = reinterpret_cast<const std::byte*>(frames.data() + at);
    at += frame::header_size(*header) + static_cast<std::size_t>(frame::declared_size(header));
  }
  return count;
}

// Writes frames, given in pieces of this size, as one message.
std::string written(curve_framing& form, std::string_view frames,
                    std::size_t piece_size = 1'000'000) {
  std::vector<framing::piece> pieces;
  for (std::size_t at = 0; at < frames.size(); at += piece_size) {
    pieces.push_back(std::as_bytes(std::span{frames.substr(at, piece_size)}));
  }
  std::string to(frames.size() + count_frames(frames) * form.overhead(), '\0');
  to.resize(form.write(pieces, std::as_writable_bytes(std::span{to})));
  return to;
}

struct reading {
  std::string frames;
  std::size_t used;
  error_code fault;
};
reading read(curve_framing& form, std::string wire) {
  const auto memory = std::as_writable_bytes(std::span{wire});
  const auto p = form.read(memory, memory);
  return {wire.substr(0, p.made), p.used, p.fault};
}

const std::string subscribe = test::framed_command("SUBSCRIBE", "topic");

// Written from RFC 26, with libsodium's boxes.
TEST(curve_framing, a_frame_is_a_message_with_a_nonce_and_a_box) {
  auto client = of_client();
  const auto wire = written(client, framed({"hello"}));
  ASSERT_EQ(wire.size(), 2U + 33U + 5U);
  EXPECT_EQ(wire.substr(0, 18), bytes("00 26 07 'MESSAGE' 00 00 00 00 00 00 00 03"));
  std::string content(6, '\0');
  EXPECT_TRUE(curve::open(std::as_writable_bytes(std::span{content}),
                          std::as_bytes(std::span{wire}).subspan(18),
                          curve::make_nonce("CurveZMQMESSAGEC", 3), shared()));
  EXPECT_EQ(content, bytes("00 'hello'"));
}

TEST(curve_framing, flags_travel_inside_the_box) {
  const struct {
    std::string frames;
    std::string inside;
  } cases[] = {{test::frame(1, "a"), bytes("01")},
               {test::frame(0, "a"), bytes("00")},
               {subscribe, bytes("02")},
               {test::frame(1, std::string(256, 'x')), bytes("01")}};
  for (const auto& [frames, inside] : cases) {
    auto server = of_server();
    const auto wire = written(server, frames);
    const auto at = wire.size() > 257 ? 25U : 18U;
    std::string content(wire.size() - at - 16, '\0');
    EXPECT_TRUE(curve::open(std::as_writable_bytes(std::span{content}),
                            std::as_bytes(std::span{wire}).subspan(at),
                            curve::make_nonce("CurveZMQMESSAGES", 2), shared()));
    EXPECT_EQ(content.substr(0, 1), inside);
    EXPECT_EQ(static_cast<unsigned char>(wire[0]) & ~2U, 0U) << "no flags outside";
  }
}

TEST(curve_framing, both_directions_carry_frames_of_any_size) {
  for (const std::size_t size :
       {0U, 1U, 221U, 222U, 223U, 254U, 255U, 256U, 257U, 65'536U, 1'000'000U}) {
    auto client = of_client();
    auto server = of_server();
    const auto frames = framed({"first", std::string(size, 'x'), ""});
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{1'000'000}}) {
      if (piece == 1 && size > 1'000) {
        continue;
      }
      const auto up = read(server, written(client, frames, piece));
      EXPECT_FALSE(up.fault);
      EXPECT_TRUE(up.frames == frames) << size;
      const auto down = read(client, written(server, frames, piece));
      EXPECT_TRUE(down.frames == frames) << size;
    }
  }
}

TEST(curve_framing, the_wire_is_never_longer_than_announced_or_shorter_than_its_frames) {
  auto client = of_client();
  for (std::size_t size = 0; size < 600; ++size) {
    const auto frame = framed({std::string(size, 'x')});
    const auto wire = written(client, frame);
    EXPECT_GE(wire.size(), frame.size());
    EXPECT_LE(wire.size(), frame.size() + client.overhead());
  }
}

TEST(curve_framing, an_incomplete_frame_waits_wherever_it_is_cut) {
  auto client = of_client();
  auto wire = written(client, framed({"one", std::string(300, 'x')}));
  wire += written(client, subscribe);
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    auto server = of_server();
    auto first = read(server, wire.substr(0, cut));
    EXPECT_FALSE(first.fault);
    const auto rest = wire.substr(first.used);
    if (!rest.empty() && cut < wire.size()) {
      const auto seen = wire.substr(first.used, cut - first.used);
      EXPECT_GT(server.needed(std::as_bytes(std::span{seen})), seen.size());
    }
    const auto second = read(server, rest);
    EXPECT_FALSE(second.fault);
    EXPECT_EQ(first.frames + second.frames, framed({"one", std::string(300, 'x')}) + subscribe);
  }
}

TEST(curve_framing, a_read_to_earlier_memory_leaves_the_rest_as_it_is) {
  auto client = of_client();
  const auto one = written(client, framed({"one"}));
  const auto two = written(client, framed({"two"}));
  for (std::size_t before = 0; before < 50; ++before) {
    auto server = of_server();
    auto memory = std::string(before, '-') + one + two.substr(0, 20);
    const auto all = std::as_writable_bytes(std::span{memory});
    const auto p = server.read(all.subspan(before), all);
    EXPECT_EQ(p.used, one.size());
    EXPECT_EQ(memory.substr(0, p.made), framed({"one"}));
    EXPECT_EQ(memory.substr(before + p.used), two.substr(0, 20));
  }
}

TEST(curve_framing, a_message_may_be_in_a_frame_of_a_command) {  // Z-16
  for (const std::size_t size : {5U, 500U}) {
    auto client = of_client();
    auto server = of_server();
    auto wire = written(client, framed({std::string(size, 'x')}));
    wire[0] = static_cast<char>(wire[0] | 4);
    const auto r = read(server, wire);
    EXPECT_FALSE(r.fault);
    EXPECT_EQ(r.frames, framed({std::string(size, 'x')}));
  }
}

TEST(curve_framing, a_nonce_must_be_above_the_last_one) {  // Z-16
  auto client = of_client();
  const auto one = written(client, framed({"one"}));
  const auto two = written(client, framed({"two"}));
  const auto three = written(client, framed({"three"}));
  auto doubled = of_server();
  EXPECT_EQ(read(doubled, one + one).fault, errc::nonce_not_increased);
  auto reordered = of_server();
  const auto r = read(reordered, two + one);
  EXPECT_EQ(r.frames, framed({"two"}));
  EXPECT_EQ(r.used, two.size());
  EXPECT_EQ(r.fault, errc::nonce_not_increased);
  auto replayed = of_server();
  EXPECT_EQ(read(replayed, one + two + three + two).fault, errc::nonce_not_increased);
  // RFC 26 lets nonces grow by any step.
  auto skipped = of_server();
  EXPECT_FALSE(read(skipped, one + three).fault);
  // The nonces of the handshake count too.
  curve_framing late{side::server, shared(), 1, 3, {}};
  EXPECT_EQ(read(late, one).fault, errc::nonce_not_increased);
}

TEST(curve_framing, the_own_frames_do_not_open_when_they_come_back) {
  auto client = of_client();
  auto reflected = of_client();
  EXPECT_EQ(read(reflected, written(client, framed({"one"}))).fault, errc::box_not_opened);
}

TEST(curve_framing, every_changed_byte_is_a_fault_behind_what_was_valid) {
  auto client = of_client();
  const auto good = written(client, framed({"good"}));
  const auto wire = written(client, framed({"changed"}));
  for (std::size_t at = 0; at < wire.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      auto changed = wire;
      changed[at] = static_cast<char>(value);
      if (changed == wire) {
        continue;
      }
      auto server = of_server();
      const auto r = read(server, good + changed);
      EXPECT_EQ(r.used >= good.size(), true);
      if (at == 0 && value == 4) {
        EXPECT_FALSE(r.fault);  // the flag of commands is allowed
        continue;
      }
      EXPECT_EQ(r.frames, framed({"good"})) << at << ' ' << value;
      // A larger size waits for more.
      const bool waits = r.used == good.size() && !r.fault;
      EXPECT_TRUE(r.fault || (at <= 1 && waits)) << at << ' ' << value;
    }
  }
}

TEST(curve_framing, each_fault_has_its_error) {
  const auto fault_of = [](std::string wire) {
    auto server = of_server();
    return read(server, std::move(wire)).fault;
  };
  auto client = of_client();
  const auto good = written(client, framed({"good"}));
  for (const char* flags : {"01", "05", "08", "10", "20", "40", "80"}) {
    EXPECT_EQ(fault_of(bytes(flags)), errc::bad_frame_flags) << flags;
  }
  EXPECT_EQ(fault_of(test::frame(4, bytes("05 'ERROR' 03 '400'"))), errc::unexpected_command);
  EXPECT_EQ(fault_of(test::frame(0, "")), errc::unexpected_command);
  EXPECT_EQ(fault_of(test::frame(0, bytes("07 'MESSAG'"))), errc::unexpected_command);
  EXPECT_EQ(fault_of(test::frame(0, bytes("07 'message'") + good.substr(10))),
            errc::unexpected_command);
  for (std::size_t size = 8; size < 33; ++size) {
    EXPECT_EQ(fault_of(test::frame(0, good.substr(2, size))), errc::bad_command) << size;
  }
  auto altered = good;
  altered.back() = static_cast<char>(altered.back() ^ 1);
  EXPECT_EQ(fault_of(altered), errc::box_not_opened);
  // Sealed with the right key, but with flags that do not exist.
  for (const char* flags : {"04", "08", "80"}) {
    const auto content = bytes(flags) + "x";
    std::string box(content.size() + 16, '\0');
    curve::seal(std::as_writable_bytes(std::span{box}), std::as_bytes(std::span{content}),
                curve::make_nonce("CurveZMQMESSAGEC", 3), shared());
    EXPECT_EQ(fault_of(test::frame(0, bytes("07 'MESSAGE' 00*7 03") + box)), errc::bad_frame_flags)
        << flags;
  }
}

TEST(curve_framing, a_frame_above_the_limit_is_a_fault_before_it_arrives) {
  const limits limit{.command_size = 1'000, .frame_size = 2'000};
  const auto fault_of = [&](std::size_t size) {
    auto server = of_server(limit);
    const auto header = test::frame_header(0, size);
    const auto r = read(server, header);
    if (!r.fault) {
      EXPECT_EQ(server.needed(std::as_bytes(std::span{header})), header.size() + size);
    }
    return r.fault;
  };
  EXPECT_FALSE(fault_of(2'000 + 33));
  EXPECT_EQ(fault_of(2'000 + 34), errc::frame_too_large);
  EXPECT_EQ(fault_of(~std::size_t{0}), errc::frame_too_large);
  auto server = of_server(limit);
  const auto huge = bytes("02 ff*8");
  EXPECT_LT(server.needed(std::as_bytes(std::span{huge})), 3'000U);
}

TEST(curve_framing, random_bytes_never_open) {
  std::mt19937 random{1};
  for (int i = 0; i < 20'000; ++i) {
    std::string wire(random() % 120, '\0');
    for (auto& c : wire) {
      c = static_cast<char>(random());
    }
    if (random() % 2 == 0) {
      wire = test::frame(0, bytes("07 'MESSAGE'") + wire);
    }
    auto server = of_server();
    EXPECT_EQ(read(server, wire).frames, "");
  }
}

}  // namespace
}  // namespace zmtp
