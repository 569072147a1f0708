#include "zmtp/curve/key.h"

#include "test/support/fixed_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace zmtp {
namespace {

// The keys in the documentation of libzmq (zmq_curve).
constexpr struct {
  const char* open;
  const char* secret;
} known[] = {
    {"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"},
    {"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID", "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"},
};

TEST(curve_key, a_secret_key_has_the_public_key_that_libzmq_computes) {
  for (const auto& pair : known) {
    const auto secret = parse_secret_key(pair.secret);
    ASSERT_TRUE(secret);
    EXPECT_EQ(to_z85(public_key_of(*secret)), pair.open);
    EXPECT_EQ(to_z85(*secret), pair.secret);
    EXPECT_EQ(parse_public_key(pair.open), public_key_of(*secret));
  }
}

TEST(curve_key, text_that_is_not_one_key_is_refused) {
  const std::string text{known[0].open};
  EXPECT_FALSE(parse_public_key(""));
  EXPECT_FALSE(parse_public_key(text.substr(1)));
  EXPECT_FALSE(parse_public_key(text + "0"));
  EXPECT_FALSE(parse_public_key(text + "00000"));
  EXPECT_FALSE(parse_public_key(" " + text.substr(1)));
  EXPECT_FALSE(parse_secret_key(text.substr(5)));
}

TEST(curve_key, a_pair_is_made_of_the_random_bytes) {
  const auto random = test::fixed_random(1);
  const auto first = make_key_pair(random);
  const auto second = make_key_pair(random);
  EXPECT_EQ(first.public_key, public_key_of(first.secret_key));
  EXPECT_NE(first.public_key, second.public_key);
  EXPECT_EQ(make_key_pair(test::fixed_random(1)).public_key, first.public_key);
}

TEST(curve_key, a_secret_is_overwritten_at_its_end) {
  alignas(curve_secret_key) std::byte memory[sizeof(curve_secret_key)];
  auto* const key = new (memory) curve_secret_key{make_key_pair(test::fixed_random(2)).secret_key};
  const auto zeros = [&] {
    // Read as a debugger would.
    const volatile auto* const bytes = reinterpret_cast<const volatile unsigned char*>(memory);
    return std::count(bytes, bytes + sizeof memory, 0);
  };
  EXPECT_LT(zeros(), 8);
  key->~curve_secret_key();
  EXPECT_EQ(zeros(), static_cast<std::ptrdiff_t>(sizeof memory));
}

TEST(curve_key, secrets_are_equal_only_in_all_bytes) {
  auto key = make_key_pair(test::fixed_random(3)).secret_key;
  const auto same = key;
  EXPECT_TRUE(equal_secrets(key.bytes(), same.bytes()));
  EXPECT_FALSE(equal_secrets(key.bytes(), same.bytes().first(31)));
  for (auto& byte : key.bytes()) {
    byte ^= std::byte{1};
    EXPECT_FALSE(equal_secrets(key.bytes(), same.bytes()));
    byte ^= std::byte{1};
  }
}

}  // namespace
}  // namespace zmtp
