// The hash of topics: of prefixes as of whole texts, of all bytes and the length, and different for each
// key.

#include "zmtp/routing/keyed_hash.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>

namespace zmtp {
namespace {

using namespace std::string_literals;

TEST(keyed_hash, the_hash_of_a_prefix_equals_that_of_the_same_bytes) {
  const keyed_hash hash{7};
  std::mt19937 random{1};
  std::string text(70, '\0');
  for (auto& byte : text) {
    byte = static_cast<char>(random());
  }
  for (std::size_t size = 0; size <= text.size(); ++size) {
    // A separate allocation, so that a sanitizer finds code that reads beyond it.
    const auto whole = std::make_unique<char[]>(size);
    std::copy_n(text.begin(), size, whole.get());
    keyed_hash::walk prefixes{hash, {whole.get(), size}};
    for (std::size_t length = random() % 3; length <= size; length += 1 + random() % 11) {
      EXPECT_EQ(prefixes.to(length), hash(std::string{text.substr(0, length)}));
      EXPECT_EQ(prefixes.to(length), hash(std::string{text.substr(0, length)})) << "asked again";
    }
  }
}

TEST(keyed_hash, depends_on_every_byte_and_on_the_length) {
  const keyed_hash hash{7};
  std::set<std::uint64_t> all;
  std::size_t texts = 0;
  for (std::size_t size = 0; size < 40; ++size) {
    all.insert(hash(std::string(size, '\0')));
    ++texts;
    for (std::size_t at = 0; at < size; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string text(size, '\0');
        text[at] = static_cast<char>(1 << bit);
        all.insert(hash(text));
        ++texts;
      }
    }
  }
  EXPECT_EQ(all.size(), texts);
}

TEST(keyed_hash, every_key_has_its_own) {
  std::set<std::uint64_t> of_text;
  std::set<std::uint64_t> of_number;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    of_text.insert(keyed_hash{seed}("topic"));
    of_number.insert(keyed_hash{seed}(std::uint64_t{1}));
  }
  EXPECT_EQ(of_text.size(), 1'000U);
  EXPECT_EQ(of_number.size(), 1'000U);
}

// Tables use the low bits. With ten thousand texts in a thousand places each place has ten, give or take.
TEST(keyed_hash, spreads_texts_that_differ_little) {
  const keyed_hash hash{3};
  std::array<int, 1'024> places{};
  for (int n = 0; n < 10'240; ++n) {
    ++places[hash("topic " + std::to_string(n)) % places.size()];
  }
  for (const auto count : places) {
    EXPECT_LT(count, 40);
  }
}

// Texts that one key lets collide in the low bits do not with another, as far as chance goes.
TEST(keyed_hash, texts_that_collide_under_one_key_do_not_under_another) {
  const keyed_hash known{1};
  const keyed_hash secret{2};
  std::set<std::uint64_t> places;
  int found = 0;
  for (std::uint64_t n = 0; found < 200; ++n) {
    const auto text = std::to_string(n);
    if (known(text) % 4'096 == 0) {
      places.insert(secret(text) % 4'096);
      ++found;
    }
  }
  EXPECT_GT(places.size(), 180U);
}

}  // namespace
}  // namespace zmtp
