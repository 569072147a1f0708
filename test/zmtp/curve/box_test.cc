#include "zmtp/curve/box.h"

#include "test/support/bytes.h"
#include "test/support/fixed_random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace zmtp::curve {
namespace {

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span{text});
}

box_key key_of(unsigned seed) {
  const auto a = make_key_pair(test::fixed_random(seed));
  const auto b = make_key_pair(test::fixed_random(seed + 1));
  return *shared_key(a.public_key, b.secret_key);
}

TEST(curve_box, both_ends_compute_the_same_key) {
  const auto a = make_key_pair(test::fixed_random(1));
  const auto b = make_key_pair(test::fixed_random(2));
  const auto of_a = shared_key(b.public_key, a.secret_key);
  const auto of_b = shared_key(a.public_key, b.secret_key);
  ASSERT_TRUE(of_a && of_b);
  EXPECT_TRUE(equal_secrets(of_a->bytes(), of_b->bytes()));
}

// The example of "Cryptography in NaCl" (D. J. Bernstein).
TEST(curve_box, the_key_is_that_of_nacl) {
  const auto secret = test::bytes(
      "77 07 6d 0a 73 18 a5 7d 3c 16 c1 72 51 b2 66 45 df 4c 2f 87 eb c0 99 2a b1 77 fb a5 1d b9 "
      "2c 2a");
  const auto open = test::bytes(
      "de 9e db 7d 7b 7d c1 b4 d3 5b 61 c2 ec e4 35 37 3f 83 43 c8 5b 78 67 4d ad fc 7e 14 6f 88 "
      "2b 4f");
  const auto expected = test::bytes(
      "1b 27 55 64 73 e9 85 d4 62 cd 51 19 7a 9a 46 c7 60 09 54 9e ac 64 74 f2 06 c4 ee 08 44 f6 "
      "83 89");
  curve_public_key theirs;
  std::memcpy(theirs.data(), open.data(), theirs.size());
  const auto key = shared_key(theirs, curve_secret_key{as_bytes(secret).first<32>()});
  ASSERT_TRUE(key);
  EXPECT_TRUE(equal_secrets(key->bytes(), as_bytes(expected)));
}

TEST(curve_box, a_public_key_with_a_known_result_is_refused) {
  EXPECT_FALSE(shared_key(curve_public_key{}, make_key_pair(test::fixed_random(1)).secret_key));
  curve_public_key one{};
  one[0] = std::byte{1};
  EXPECT_FALSE(shared_key(one, make_key_pair(test::fixed_random(1)).secret_key));
}

TEST(curve_box, nonces_are_a_prefix_and_a_number) {
  const auto counted = make_nonce("CurveZMQMESSAGEC", 0x0102030405060708U);
  EXPECT_EQ(std::memcmp(counted.data(),
                        test::bytes("'CurveZMQMESSAGEC' 01 02 03 04 05 06 07 08").data(), 24),
            0);
  std::array<std::byte, 16> random;
  random.fill(std::byte{7});
  const auto drawn = make_nonce("COOKIE--", random);
  EXPECT_EQ(std::memcmp(drawn.data(), test::bytes("'COOKIE--' 07*16").data(), 24), 0);
}

TEST(curve_box, content_of_any_size_comes_out_as_it_went_in) {
  const auto key = key_of(1);
  for (const std::size_t size : {0U, 1U, 31U, 32U, 33U, 64U, 65U, 1'000U, 100'000U}) {
    const std::string content(size, 'c');
    std::string box(size + box_overhead, '\0');
    const auto n = make_nonce("CurveZMQMESSAGES", size);
    seal(std::as_writable_bytes(std::span{box}), as_bytes(content), n, key);
    std::string opened(size, '\0');
    EXPECT_TRUE(open(std::as_writable_bytes(std::span{opened}), as_bytes(box), n, key));
    EXPECT_EQ(opened, content);
  }
}

TEST(curve_box, a_box_is_sealed_and_opened_in_place) {
  const auto key = key_of(1);
  const auto n = make_nonce("CurveZMQMESSAGES", 1);
  for (const std::size_t size : {0U, 1U, 100U, 10'000U}) {
    std::string apart(size + box_overhead, '\0');
    const std::string content(size, 'c');
    seal(std::as_writable_bytes(std::span{apart}), as_bytes(content), n, key);
    auto in_place = std::string(box_overhead, '\0') + content;
    const auto bytes = std::as_writable_bytes(std::span{in_place});
    seal(bytes, bytes.subspan(box_overhead), n, key);
    EXPECT_EQ(in_place, apart);
    // As a framing opens it: to a place some bytes before, or within the overhead.
    for (std::size_t before = 0; before <= 40; ++before) {
      auto memory = std::string(40, '\0') + apart;
      const auto all = std::as_writable_bytes(std::span{memory});
      ASSERT_TRUE(open(all.subspan(40 - before, size), all.subspan(40), n, key));
      EXPECT_EQ(memory.substr(40 - before, size), content) << before;
    }
  }
}

TEST(curve_box, an_altered_box_does_not_open_and_writes_nothing) {
  const auto key = key_of(1);
  const auto n = make_nonce("CurveZMQMESSAGES", 1);
  const std::string content = "what is inside";
  std::string box(content.size() + box_overhead, '\0');
  seal(std::as_writable_bytes(std::span{box}), as_bytes(content), n, key);
  test::for_each_changed_byte(box, [&](std::string_view changed) {
    std::string opened(content.size(), 'x');
    EXPECT_FALSE(
        open(std::as_writable_bytes(std::span{opened}), std::as_bytes(std::span{changed}), n, key));
    EXPECT_EQ(opened, std::string(content.size(), 'x'));
  });
  std::string opened(content.size(), 'x');
  const auto to = std::as_writable_bytes(std::span{opened});
  EXPECT_FALSE(open(to, as_bytes(box), make_nonce("CurveZMQMESSAGES", 2), key));
  EXPECT_FALSE(open(to, as_bytes(box), make_nonce("CurveZMQMESSAGEC", 1), key));
  EXPECT_FALSE(open(to, as_bytes(box), n, key_of(3)));
}

}  // namespace
}  // namespace zmtp::curve
