#include "zmtp/greeting.h"

#include "test/support/bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace zmtp {
namespace {

using test::bytes;
using test::for_each_changed_byte;

error_code judged(std::string_view text, std::string_view mechanism = "NULL") {
  error_code judgement;
  test::in_exact_memory(text, [&](std::string_view exact) {
    judgement = greeting::check(std::as_bytes(std::span{exact}), mechanism);
  });
  return judgement;
}

std::string text_of(const std::array<std::byte, greeting::size>& from) {
  return {reinterpret_cast<const char*>(from.data()), from.size()};
}

const std::string libzmq_null = bytes("ff 00*7 01 7f 03 01 'NULL' 00*16 00 00*31");

TEST(greeting, is_exactly_64_bytes) {
  EXPECT_EQ(text_of(greeting::encode("NULL", false)), libzmq_null);
  EXPECT_EQ(text_of(greeting::encode("CURVE", true)),
            bytes("ff 00*7 01 7f 03 01 'CURVE' 00*15 01 00*31"));
  EXPECT_EQ(text_of(greeting::encode("TWENTY-OCTETS-.+_123", false)),
            bytes("ff 00*7 01 7f 03 01 'TWENTY-OCTETS-.+_123' 00 00*31"));
}

TEST(greeting, a_good_one_is_accepted_at_every_length) {
  for (const std::string mechanism : {"NULL", "PLAIN", "CURVE", "A", "TWENTY-OCTETS-.+_123"}) {
    const auto whole = text_of(greeting::encode(mechanism, true));
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      EXPECT_EQ(judged(whole.substr(0, size), mechanism), error_code{}) << mechanism << size;
    }
  }
}

struct refusal {
  const char* what;
  std::string text;
  std::size_t judged_at;  // bytes that suffice
  errc fault;
};

const refusal refusals[] = {
    {"HTTP", bytes("'GET / HTTP/1.1' 0d 0a 'Host: localhost' 0d 0a 0d 0a"), 1, errc::not_zmtp},
    {"TLS", bytes("16 03 01 00 f8 01 00 00 f4 03 03 5e 6f"), 1, errc::not_zmtp},
    {"SSH", bytes("'SSH-2.0-OpenSSH_9.2' 0d 0a"), 1, errc::not_zmtp},
    {"zeros", bytes("00*64"), 1, errc::not_zmtp},
    {"one without a frame behind it", bytes("01 01"), 2, errc::not_zmtp},
    {"telnet", bytes("ff fd 18 ff fd 20 ff fd 23 ff fd 27 ff fd 24"), 13, errc::bad_mechanism_name},
    {"ZMTP 1.0, anonymous", bytes("01 00 06 00 'hello'"), 2, errc::version_1_refused},
    {"ZMTP 1.0, long identity", bytes("ff 00*7 03 00 'XY'"), 10, errc::version_1_refused},
    {"versioned ZMTP 1.0", bytes("ff 00*7 01 7f 00 05"), 11, errc::version_1_refused},
    {"ZMTP 2.0", bytes("ff 00*7 01 7f 01 02 00 00"), 11, errc::version_2_refused},
    {"ZMTP 2.0 as its RFC has it", bytes("ff 00*7 01 7f 02 02 00 00"), 11, errc::version_2_refused},
    {"no mechanism", bytes("ff 00*8 7f 03 00 00*20 00*32"), 13, errc::bad_mechanism_name},
    {"lower case", bytes("ff 00*8 7f 03 00 'null' 00*16 00*32"), 13, errc::bad_mechanism_name},
    {"space as padding", bytes("ff 00*8 7f 03 00 'NULL' 20*16 00*32"), 17,
     errc::bad_mechanism_name},
    {"bytes behind the padding", bytes("ff 00*8 7f 03 00 'NULL' 00*15 41 00*32"), 32,
     errc::bad_mechanism_name},
    {"another mechanism", bytes("ff 00*8 7f 03 01 'PLAIN' 00*15 00*32"), 32,
     errc::mechanism_mismatch},
    {"a longer mechanism", bytes("ff 00*8 7f 03 01 'NULLS' 00*15 00*32"), 32,
     errc::mechanism_mismatch},
    {"a shorter mechanism", bytes("ff 00*8 7f 03 01 'NUL' 00*17 00*32"), 32,
     errc::mechanism_mismatch},
    {"a mechanism without padding", bytes("ff 00*8 7f 03 01 41*20 00*32"), 32,
     errc::mechanism_mismatch},
};

TEST(greeting, a_bad_greeting_is_rejected_at_its_first_bad_byte) {
  for (const auto& [what, text, judged_at, fault] : refusals) {
    for (std::size_t size = 0; size <= text.size(); ++size) {
      EXPECT_EQ(judged(text.substr(0, size)), size < judged_at ? error_code{} : error_code{fault})
          << what << " of " << size;
    }
  }
}

// RFC 37, byte by byte: returns the result of the NULL greeting with `byte` at `at`.
error_code expected_of_changed(std::size_t at, char byte) {
  const bool named = std::string_view{"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+"}.find(byte) !=
                     std::string_view::npos;
  const auto value = static_cast<unsigned char>(byte);
  if (at == 0) {
    return value == 1 ? errc::version_1_refused : errc::not_zmtp;
  }
  if (at == 9) {
    return value % 2 == 0 ? errc::version_1_refused : error_code{};
  }
  if (at == 10) {
    return value == 0   ? errc::version_1_refused
           : value <= 2 ? errc::version_2_refused
                        : error_code{};
  }
  if (at >= 12 && at <= 16) {
    const bool shorter = at == 15 && value == 0;
    return named || shorter ? errc::mechanism_mismatch : errc::bad_mechanism_name;
  }
  if (at >= 17 && at <= 31) {
    return errc::bad_mechanism_name;
  }
  return {};
}

TEST(greeting, each_byte_is_checked_exactly_as_specified) {
  for_each_changed_byte(libzmq_null, [](std::string_view changed) {
    std::size_t at = 0;
    while (changed[at] == libzmq_null[at]) {
      ++at;
    }
    EXPECT_EQ(judged(changed), expected_of_changed(at, changed[at])) << "byte " << at;
  });
}

TEST(greeting, later_versions_are_accepted) {
  const struct {
    std::string version;
    std::uint8_t minor;
  } versions[] = {
      {bytes("03 00"), 0}, {bytes("03 01"), 1}, {bytes("03 02"), 1}, {bytes("03 ff"), 1},
      {bytes("04 00"), 1}, {bytes("04 01"), 1}, {bytes("ff ff"), 1},
  };
  for (const auto& [version, minor] : versions) {
    auto whole = libzmq_null;
    whole.replace(10, 2, version);
    EXPECT_EQ(judged(whole), error_code{});
    const auto peer = greeting::peer_version(std::as_bytes(std::span{whole}));
    EXPECT_EQ(peer.major, 3);
    EXPECT_EQ(peer.minor, minor);
  }
}

}  // namespace
}  // namespace zmtp
