#include "zmtp/framing/websocket_frame.h"

#include "test/support/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace zmtp::websocket {
namespace {

using test::bytes;

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span{text}); }

// Reads a header in two pieces, at every place. Returns the fault, or none if it is complete.
error_code fault_of(const std::string& wire, side own) {
  error_code found;
  for (std::size_t at = 0; at <= wire.size(); ++at) {
    header_reader reader{own};
    auto fault = reader.read(view(wire).first(at)).error();
    if (!fault) {
      fault = reader.read(view(wire).subspan(at)).error();
    }
    EXPECT_TRUE(fault || reader.complete()) << at;
    EXPECT_TRUE(at == 0 || fault == found) << at;
    found = fault;
  }
  return found;
}

// ZWS-4
TEST(websocket_frame, headers_are_read_as_they_are_written) {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{125}, std::uint64_t{126},
        std::uint64_t{0xFFFF}, std::uint64_t{0x10000}, std::uint64_t{1} << 40U}) {
    for (const auto own : {side::client, side::server}) {
      const mask_key key{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
      std::string wire(max_header_size, '\0');
      auto* const begin = reinterpret_cast<std::byte*>(wire.data());
      const auto* const end =
          put_header(begin, opcode::binary, size, own == side::server ? &key : nullptr);
      wire.resize(static_cast<std::size_t>(end - begin));
      EXPECT_FALSE(fault_of(wire, own)) << size;
      header_reader reader{own};
      EXPECT_EQ(*reader.read(view(wire + "rest")), wire.size());
      EXPECT_EQ(reader.code(), opcode::binary);
      EXPECT_EQ(reader.payload(), size);
      EXPECT_EQ(reader.key(), own == side::server ? key : mask_key{});
    }
  }
}

// ZWS-4, ZWS-6
TEST(websocket_frame, only_the_frames_of_zws_are_valid) {
  const struct {
    const char* what;
    std::string wire;
  } wrong[]{
      {"text", bytes("81 01")},
      {"a reserved bit", bytes("c2 01")},
      {"a reserved data opcode", bytes("83 01")},
      {"a reserved control opcode", bytes("8b 00")},
      {"a fragmented ping", bytes("09 00")},
      {"a fragment of text", bytes("01 01")},
      {"a ping of 126 bytes", bytes("89 7e 00 7e")},
      {"masked", bytes("82 81 00 00 00 00")},
      {"125 bytes in the long form", bytes("82 7e 00 7d")},
      {"65,535 bytes in the longest form", bytes("82 7f 00 00 00 00 00 00 ff ff")},
      {"the top bit of the size", bytes("82 7f 80 00 00 00 00 00 00 00")},
  };
  for (const auto& [what, wire] : wrong) {
    EXPECT_EQ(fault_of(wire, side::client), errc::bad_websocket_frame) << what;
  }
  EXPECT_EQ(fault_of(bytes("82 01"), side::server), errc::bad_websocket_frame) << "not masked";
}

TEST(websocket_frame, a_mask_is_the_same_in_pieces_and_in_place) {
  // RFC 6455 section 5.7: a masked "Hello".
  const auto wire = bytes("7f 9f 4d 51 58");
  const mask_key key{std::byte{0x37}, std::byte{0xfa}, std::byte{0x21}, std::byte{0x3d}};
  std::string text(wire.size(), '\0');
  mask(reinterpret_cast<std::byte*>(text.data()), view(wire), key, 0);
  EXPECT_EQ(text, "Hello");
  const std::string longer(100, 'x');
  auto whole = longer;
  mask(reinterpret_cast<std::byte*>(whole.data()), view(longer), key, 0);
  for (std::size_t at = 0; at <= longer.size(); ++at) {
    auto pieces = longer;
    auto* const to = reinterpret_cast<std::byte*>(pieces.data());
    mask(to, view(pieces).first(at), key, 0);
    mask(to + at, view(pieces).subspan(at), key, at);
    EXPECT_EQ(pieces, whole) << at;
  }
}

}  // namespace
}  // namespace zmtp::websocket
