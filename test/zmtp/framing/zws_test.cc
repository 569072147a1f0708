// Both directions of ZWS 2.0, split at every byte.

#include "test/support/bytes.h"
#include "zmtp/command.h"
#include "zmtp/frame.h"
#include "zmtp/framing/zws_input.h"
#include "zmtp/framing/zws_output.h"
#include "zmtp/greeting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace zmtp {
namespace {

using test::bytes;
using websocket::side;

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span{text}); }
std::span<std::byte> space(std::string& text) { return std::as_writable_bytes(std::span{text}); }

random_bytes fixed_keys() {
  return [](std::span<std::byte> to) { std::ranges::fill(to, std::byte{0x5A}); };
}

// Reads `wire` in pieces of `step` bytes, with space for `room` bytes at a time.
struct heard {
  std::string zmtp;
  error_code fault;
};
heard hear(zws_input& from, const std::string& wire, std::size_t step, std::size_t room) {
  heard all;
  for (std::size_t at = 0; at < wire.size() || from.ready();) {
    std::string to(room, '\0');
    const auto piece = view(wire).subspan(at, std::min(step, wire.size() - at));
    const auto [used, made, fault] = from.read(piece, space(to));
    at += used;
    all.zmtp += to.substr(0, made);
    all.fault = fault;
    EXPECT_TRUE(fault || used != 0 || made != 0) << "no progress at " << at;
    if (fault || (used == 0 && made == 0)) {
      break;
    }
  }
  return all;
}

std::string say(zws_output& to, const std::string& zmtp, std::size_t step, std::size_t room) {
  std::string wire;
  for (std::size_t at = 0; at < zmtp.size() || to.ready();) {
    std::string space_for(room, '\0');
    const auto [used, made] =
        to.write(view(zmtp).subspan(at, std::min(step, zmtp.size() - at)), space(space_for));
    at += used;
    wire += space_for.substr(0, made);
    EXPECT_TRUE(used != 0 || made != 0) << "no progress at " << at;
    if (used == 0 && made == 0) {
      break;
    }
  }
  return wire;
}

std::string greeting_of(std::string_view mechanism) {
  const auto all = greeting::encode(mechanism, false, 0);
  return {reinterpret_cast<const char*>(all.data()), all.size()};
}

std::string frame_of(std::byte flags, const std::string& body) {
  std::string whole(frame::max_header_size, '\0');
  auto* const begin = reinterpret_cast<std::byte*>(whole.data());
  const auto* const end = frame::put_header(begin, flags, body.size());
  whole.resize(static_cast<std::size_t>(end - begin));
  return whole + body;
}

std::string ready_of(std::string_view properties) {
  std::string ready;
  command::put(ready, "READY", properties);
  return ready;
}

// ZWS-5
TEST(zws_output, a_server_writes_flags_and_body_without_a_mask) {
  zws_output output{side::server, true, fixed_keys()};
  const auto zmtp = frame_of(frame::command, "\5READY") + frame_of(frame::more, "") +
                    frame_of({}, std::string(300, 'x'));
  EXPECT_EQ(say(output, zmtp, zmtp.size(), 1024),
            bytes("82 07 02 05 'READY' 82 01 01 82 7e 01 2d 00") + std::string(300, 'x'));
}

// ZWS-6
TEST(zws_output, a_client_masks_with_a_key_for_each_frame) {
  std::uint8_t next = 0;
  zws_output output{side::client, true, [&](std::span<std::byte> to) {
                      for (auto& byte : to) {
                        byte = std::byte{next++};
                      }
                    }};
  EXPECT_EQ(say(output, frame_of({}, "a") + frame_of({}, "b"), 64, 64),
            bytes("82 82 fc fd fe ff fc 9c") + bytes("82 82 f8 f9 fa fb f8 9b"));
}

// Each draw is a system call.
TEST(zws_output, a_client_draws_64_keys_at_once_and_a_server_none) {
  for (const auto own : {side::client, side::server}) {
    std::size_t draws = 0;
    zws_output output{own, true, [&](std::span<std::byte>) { ++draws; }};
    EXPECT_EQ(draws, 0U);
    const auto factor = own == side::client ? 1U : 0U;
    for (unsigned i = 0; i < 64; ++i) {
      static_cast<void>(say(output, frame_of({}, "a"), 64, 64));
      EXPECT_EQ(draws, factor) << i;
    }
    static_cast<void>(say(output, frame_of({}, "a"), 64, 64));
    EXPECT_EQ(draws, 2 * factor);
  }
}

// ZWS-4
TEST(zws, frames_of_both_sides_pass_at_every_split) {
  const auto frames = frame_of(frame::command, "\5READY") + frame_of(frame::more, "") +
                      frame_of(frame::more, "part") + frame_of({}, std::string(260, 'x')) +
                      frame_of({}, "");
  for (const auto from : {side::client, side::server}) {
    for (std::size_t step = 1; step <= frames.size(); step += step < 20 ? 1 : 50) {
      for (const std::size_t room : {1U, 2U, 3U, 7U, 64U, 1024U}) {
        zws_output output{from, true, fixed_keys()};
        const auto wire = say(output, frames, step, room);
        zws_input input{from == side::client ? side::server : side::client, "NULL"};
        const auto [zmtp, fault] = hear(input, wire, step, room);
        EXPECT_FALSE(fault) << step << ' ' << room << ' ' << static_cast<int>(from);
        EXPECT_EQ(zmtp, greeting_of("NULL") + frames) << step << ' ' << room;
      }
    }
  }
}

TEST(zws, a_long_body_passes_through) {
  const auto frames = frame_of({}, std::string(100'000, 'x')) + frame_of({}, "end");
  zws_output output{side::client, true, fixed_keys()};
  zws_input input{side::server, "PLAIN"};
  EXPECT_EQ(hear(input, say(output, frames, 999, 1000), 1001, 998).zmtp,
            greeting_of("PLAIN") + frames);
}

// ZWS-7
TEST(zws, without_a_mechanism_the_first_message_is_the_routing_id) {
  const auto ready = ready_of(bytes("08 'Identity' 00 00 00 02 'me'"));
  for (std::size_t step = 1; step <= ready.size(); ++step) {
    zws_output output{side::server, false, fixed_keys()};
    const auto wire = say(output, ready + frame_of({}, "hi"), step, 100);
    EXPECT_EQ(wire, bytes("82 03 00 'me' 82 03 00 'hi'")) << step;
    zws_input input{side::client, ""};
    EXPECT_EQ(hear(input, wire, step, 100).zmtp, greeting_of("NULL") + ready + frame_of({}, "hi"));
  }
}

// ZWS-7
TEST(zws, an_empty_routing_id_is_a_ready_without_properties) {
  zws_output output{side::server, false, fixed_keys()};
  const auto wire = say(output, ready_of(bytes("0b 'Socket-Type' 00 00 00 04 'PUSH'")), 100, 100);
  EXPECT_EQ(wire, bytes("82 01 00"));
  zws_input input{side::client, ""};
  EXPECT_EQ(hear(input, wire, 1, 100).zmtp, greeting_of("NULL") + ready_of(""));
}

// ZWS-9
TEST(zws_output, without_a_mechanism_later_commands_are_dropped) {
  zws_output output{side::server, false, fixed_keys()};
  const auto error = frame_of(frame::command, bytes("05 'ERROR' 03 '400'"));
  EXPECT_EQ(say(output, ready_of("") + error + frame_of({}, "x"), 3, 100),
            bytes("82 01 00 82 02 00 'x'"));
}

// ZWS-4, ZWS-5, ZWS-9
TEST(zws_input, wrong_frames_are_faults) {
  const struct {
    const char* what;
    const char* mechanism;
    std::string wire;
    errc fault;
  } wrong[]{
      {"no flags", "NULL", bytes("82 00"), errc::bad_websocket_frame},
      {"more and command", "NULL", bytes("82 02 03 'x'"), errc::bad_websocket_frame},
      {"the flag that ZMTP has for commands", "NULL", bytes("82 02 04 'x'"),
       errc::bad_websocket_frame},
      {"text", "NULL", bytes("81 02 00 'x'"), errc::bad_websocket_frame},
      {"a continuation of nothing", "NULL", bytes("80 01 00"), errc::bad_websocket_frame},
      {"a message in another", "NULL", bytes("02 01 00 82 01 00"), errc::bad_websocket_frame},
      {"fragments without flags", "NULL", bytes("02 00 80 00"), errc::bad_websocket_frame},
      {"fragments with unknown flags", "NULL", bytes("02 01 08 80 00"), errc::bad_websocket_frame},
      {"a routing id that is a command", "", bytes("82 02 02 'x'"), errc::bad_websocket_frame},
      {"a routing id of 256 bytes", "", bytes("82 7e 01 01 00"), errc::routing_id_too_long},
  };
  for (const auto& [what, mechanism, wire, fault] : wrong) {
    for (std::size_t step = 1; step <= wire.size(); ++step) {
      zws_input input{side::client, mechanism};
      EXPECT_EQ(hear(input, wire, step, 100).fault, fault) << what << ' ' << step;
    }
  }
}

// Browsers send long messages so.
// ZWS-12
TEST(zws_input, fragments_become_one_frame) {
  const auto wire = bytes("02 02 02 'a' 89 01 'p' 00 00 00 01 'b' 80 01 'c' 82 02 01 'd'") +
                    bytes("02 00 80 01 00");
  for (std::size_t step = 1; step <= wire.size(); ++step) {
    for (const std::size_t room : {std::size_t{1}, std::size_t{100}}) {
      zws_input input{side::client, "NULL"};
      const auto [zmtp, fault] = hear(input, wire, step, room);
      EXPECT_FALSE(fault) << step;
      EXPECT_EQ(zmtp, greeting_of("NULL") + bytes("04 03 'abc' 01 01 'd' 00 00")) << step;
      EXPECT_EQ(input.take_ping(), "p");
    }
  }
}

// ZWS-12
TEST(zws_input, the_mask_of_each_fragment_is_its_own) {
  zws_input input{side::server, ""};
  const auto wire = bytes("02 81 01 02 03 04 01 80 82 05 06 07 08") + std::string{'m' ^ 5, 'e' ^ 6};
  EXPECT_EQ(hear(input, wire, 3, 200).zmtp,
            greeting_of("NULL") + ready_of(bytes("08 'Identity' 00 00 00 02 'me'")));
}

// ZWS-12
TEST(zws_input, a_message_in_fragments_has_a_limit) {
  const auto whole = [](std::size_t more_than_half) {
    const auto half = zws_input::max_fragmented / 2;
    return bytes("82 01 00 02 7f 00 00 00 00 00 08 00 00") + std::string(half, '\0') +
           bytes("80 7f 00 00 00 00 00 08 00") + std::string(1, static_cast<char>(more_than_half)) +
           std::string(half + more_than_half, '\0');
  };
  zws_input good{side::client, "NULL"};
  const auto [zmtp, fault] = hear(good, whole(0), 100'000, 100'000);
  EXPECT_FALSE(fault);
  EXPECT_EQ(zmtp.size(), greeting::size + 2 + 9 + zws_input::max_fragmented - 1);
  zws_input bad{side::client, "NULL"};
  EXPECT_EQ(hear(bad, whole(1), 100'000, 100'000).fault, errc::bad_websocket_frame);
}

// An idle connection of a peer that has sent one long message must not keep its memory.
TEST(zws_input, a_message_in_fragments_leaves_no_memory) {
  zws_input input{side::client, "NULL"};
  const std::string half(50'000, 'x');
  (void)hear(input, bytes("82 01 00 02 7e c3 51 00") + half, 1'000, 100'000);
  EXPECT_GT(input.held(), half.size());
  const auto [zmtp, fault] = hear(input, bytes("80 7e c3 50") + half, 1'000, 999);
  EXPECT_FALSE(fault);
  EXPECT_EQ(zmtp.substr(0, 9), bytes("02 00 00 00 00 00 01 86 a0"));
  EXPECT_EQ(zmtp.size(), 9 + 2 * half.size());
  EXPECT_LT(input.held(), 100U);
}

TEST(zws_input, fragments_of_a_handshake_have_a_lower_limit) {
  const auto most = zws_input::max_fragmented_in_handshake;
  const auto whole = bytes("02 7e 10 00") + std::string(most, '\0') + bytes("80 00");
  const auto more = bytes("02 7e 10 00") + std::string(most, '\0') + bytes("80 01 00");
  const struct {
    std::string_view mechanism;
    unsigned messages;
  } cases[]{{"", 1}, {"NULL", 1}, {"PLAIN", 2}, {"CURVE", 2}};
  for (const auto& [mechanism, messages] : cases) {
    std::string before;
    for (unsigned i = 0; i < messages; ++i, before += bytes("82 01 00")) {
      zws_input input{side::client, mechanism};
      EXPECT_EQ(hear(input, before + more, 100'000, 100'000).fault, errc::bad_websocket_frame)
          << mechanism << i;
    }
    zws_input done{side::client, mechanism};
    EXPECT_FALSE(hear(done, before + more, 100'000, 100'000).fault) << mechanism;
  }
  zws_input input{side::client, "NULL"};
  EXPECT_FALSE(hear(input, whole, 100'000, 100'000).fault);
}

// ZWS-11
TEST(zws_input, a_ping_between_parts_is_reported_and_makes_nothing) {
  const auto wire = bytes("82 02 01 'a' 89 03 'one' 8a 00 89 00 82 02 00 'b'");
  for (std::size_t step = 1; step <= wire.size(); ++step) {
    zws_input input{side::client, "NULL"};
    EXPECT_EQ(hear(input, wire, step, 100).zmtp,
              greeting_of("NULL") + frame_of(frame::more, "a") + frame_of({}, "b"));
    EXPECT_EQ(input.take_ping(), "") << "the newest one";
    EXPECT_EQ(input.take_ping(), std::nullopt);
  }
}

TEST(zws_input, nothing_follows_a_close) {
  zws_input input{side::server, "NULL"};
  EXPECT_EQ(hear(input, bytes("88 82 00 00 00 00 03 e8 'garbage'"), 1, 100).zmtp,
            greeting_of("NULL"));
  EXPECT_TRUE(input.closed());
}

TEST(zws_output, answers_wait_for_the_end_of_a_frame_and_the_newest_counts) {
  zws_output output{side::server, true, fixed_keys()};
  const auto zmtp = frame_of({}, "message");
  auto wire = say(output, zmtp.substr(0, 5), 5, 100);
  output.pong("one");
  EXPECT_FALSE(output.ready());
  output.pong("two");
  output.close(1000);
  wire += say(output, zmtp.substr(5), 100, 100);
  EXPECT_EQ(wire, bytes("82 08 00 'message' 8a 03 'two' 88 02 03 e8"));
}

}  // namespace
}  // namespace zmtp
