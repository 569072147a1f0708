#include "zmtp/engine/pending_handshakes_state.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>

namespace zmtp {
namespace {

using host = address_shares::host;

host ipv4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d};
}

const host one = ipv4(192, 0, 2, 1);
const host other = ipv4(192, 0, 2, 2);

// Returns how many of `count` connections get a slot, one after the other.
int entered(address_shares& shares, const std::optional<host>& from, std::size_t places,
            int count) {
  int in = 0;
  for (int i = 0; i < count; ++i) {
    in += shares.enter(from, places) ? 1 : 0;
  }
  return in;
}

TEST(address_shares, one_address_has_a_quarter) {
  address_shares shares;
  EXPECT_EQ(entered(shares, one, 1'024, 1'000), 256);
  EXPECT_EQ(entered(shares, other, 1'024, 1'000), 256) << "and so has each other one";
}

TEST(address_shares, an_address_above_its_share_gets_a_slot_after_it_leaves_one) {
  address_shares shares;
  EXPECT_EQ(entered(shares, one, 8, 5), 2);
  EXPECT_EQ(entered(shares, other, 8, 1), 1);
  shares.leave(other);
  EXPECT_EQ(entered(shares, one, 8, 5), 0);
  shares.leave(one);
  EXPECT_EQ(entered(shares, one, 8, 5), 1);
  shares.leave(one);
  shares.leave(one);
  EXPECT_EQ(entered(shares, one, 8, 5), 2);
}

TEST(address_shares, an_address_gets_one_of_a_few_slots) {
  for (const std::size_t places : {1U, 3U, 7U}) {
    address_shares shares;
    EXPECT_EQ(entered(shares, one, places, 3), 1) << places;
  }
}

TEST(address_shares, holds_as_many_as_there_are_now) {
  address_shares shares;
  EXPECT_EQ(entered(shares, one, 16, 9), 4);
  EXPECT_EQ(entered(shares, one, 8, 1), 0);
  shares.leave(one);
  EXPECT_EQ(entered(shares, one, 8, 1), 0) << "three are still above two";
  EXPECT_EQ(entered(shares, one, 32, 9), 5);
}

TEST(address_shares, loopback_and_unknown_addresses_are_exempt) {
  host ipv6_loopback{};
  ipv6_loopback.back() = 1;
  for (const std::optional<host>& exempt :
       {std::optional<host>{}, std::optional{ipv4(127, 0, 0, 1)}, std::optional{ipv4(127, 9, 8, 7)},
        std::optional{ipv6_loopback}}) {
    address_shares shares;
    EXPECT_EQ(entered(shares, exempt, 8, 100), 100);
    shares.leave(exempt);
  }
}

TEST(address_shares, addresses_that_resemble_loopback_are_not_exempt) {
  host within_ipv6{};  // 7f00::1
  within_ipv6[0] = 127;
  within_ipv6.back() = 1;
  host not_mapped{};  // ::127.0.0.1, which no longer is an IPv4 address
  not_mapped[12] = 127;
  not_mapped.back() = 1;
  for (const auto& stranger : {within_ipv6, not_mapped, ipv4(128, 0, 0, 1), ipv4(126, 0, 0, 1)}) {
    address_shares shares;
    EXPECT_EQ(entered(shares, stranger, 8, 100), 2);
  }
}

}  // namespace
}  // namespace zmtp
