// The memory of both sides of a handshake. With CURVE a server keeps no state of a connection before
// INITIATE, and both sides overwrite each key after its last use. With PLAIN this holds for the
// password.

#include "test/support/allocations.h"
#include "test/support/bytes.h"
#include "test/support/curve_forger.h"
#include "zmtp/curve/box.h"
#include "zmtp/framing/curve_framing.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/mechanism/curve_client.h"
#include "zmtp/mechanism/curve_server.h"
#include "zmtp/mechanism/plain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using test::curve_forger;

// Random bytes that are recorded, without memory of their own.
class recorded_random {
public:
  [[nodiscard]] random_bytes source() {
    return [this](std::span<std::byte> to) {
      from_(to);
      std::ranges::copy(to, drawn_.at(count_++).begin());
    };
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  // The 32 random bytes of a draw, by its number.
  [[nodiscard]] const std::array<std::byte, 32>& drawn(std::size_t at) const {
    return drawn_.at(at);
  }

private:
  random_bytes from_ = test::fixed_random(7);
  std::array<std::array<std::byte, 32>, 4> drawn_{};
  std::size_t count_ = 0;
};

// Whether these bytes are in the memory of the object.
template <class Object>
bool holds(const Object& in, std::span<const std::byte> bytes) {
  const std::span memory{reinterpret_cast<const std::byte*>(&in), sizeof in};
  return std::search(memory.begin(), memory.end(), bytes.begin(), bytes.end()) != memory.end();
}
bool holds(const auto& in, std::string_view text) {
  return holds(in, std::as_bytes(std::span{text}));
}
bool holds(const auto& in, const curve_public_key& key) {
  return holds(in, std::as_bytes(std::span{key}));
}
bool holds(const auto& in, const curve::box_key& key) { return holds(in, std::span{key.bytes()}); }

TEST(curve_server, keeps_only_the_key_of_the_cookie_before_initiate) {
  const curve_forger peer;
  const auto hello = peer.hello();
  recorded_random random;
  curve_server_mechanism s{
      std::make_shared<curve_key_pair>(curve_forger::server_keys()), {}, {}, random.source()};
  std::string welcome;
  welcome.reserve(hello.size());  // It is shorter.
  const auto live = test::counted().live;
  {
    std::string output;
    ASSERT_EQ(s.on_command(hello, output).value(), mechanism::progress::more);
    welcome.assign(test::content_of(output).commands.at(0));
  }
  EXPECT_EQ(test::counted().live, live) << "nothing is kept outside the object";
  ASSERT_EQ(random.count(), 3U) << "the secret key, the nonces, the key of the cookie";
  const curve_secret_key transient{random.drawn(0)};
  const auto& cookie_key = random.drawn(2);
  EXPECT_TRUE(holds(s, cookie_key)) << "the search finds what is there";
  EXPECT_FALSE(holds(s, random.drawn(0)));
  EXPECT_FALSE(holds(s, public_key_of(transient)));
  EXPECT_FALSE(holds(s, peer.transient.public_key));

  std::string output;
  ASSERT_EQ(s.on_command(peer.initiate(welcome), output).value(),
            mechanism::progress::authentication);
  const auto traffic = *curve::shared_key(peer.transient.public_key, transient);
  EXPECT_FALSE(holds(s, cookie_key)) << "the cookie is used once";
  EXPECT_FALSE(holds(s, random.drawn(0)));
  EXPECT_TRUE(holds(s, traffic));

  EXPECT_EQ(s.authenticated(output), mechanism::progress::admission);
  EXPECT_EQ(s.admit(output), mechanism::progress::done);
  const auto made = s.take_framing();
  EXPECT_FALSE(holds(s, traffic));
  EXPECT_TRUE(holds(dynamic_cast<const curve_framing&>(*made), traffic));
}

TEST(curve_client, keeps_each_key_no_longer_than_it_is_used) {
  recorded_random random;
  const auto& server_keys = curve_forger::server_keys();
  curve_client_mechanism c{std::make_shared<curve_client_options>(curve_client_options{
                               server_keys.public_key, curve_forger::client_keys()}),
                           {},
                           {},
                           random.source()};
  std::string output;
  c.start(output);
  const curve_secret_key own{random.drawn(0)};
  const auto with_server_key = *curve::shared_key(server_keys.public_key, own);
  EXPECT_TRUE(holds(c, random.drawn(0)));
  EXPECT_TRUE(holds(c, with_server_key));

  const auto server = make_key_pair(test::fixed_random(8));
  ASSERT_TRUE(c.on_command(test::forged_welcome(public_key_of(own), server), output));
  const auto traffic = *curve::shared_key(server.public_key, own);
  EXPECT_FALSE(holds(c, with_server_key));
  EXPECT_TRUE(holds(c, traffic));

  ASSERT_TRUE(c.on_command(
      test::forged_ready(public_key_of(own), server, test::property("Socket-Type", "PULL")),
      output));
  EXPECT_EQ(c.authenticated(output), mechanism::progress::admission);
  EXPECT_EQ(c.admit(output), mechanism::progress::done);
  const auto made = c.take_framing();
  EXPECT_FALSE(holds(c, random.drawn(0)));
  EXPECT_FALSE(holds(c, traffic));
}

// Short enough to be inside the object.
constexpr std::string_view password = "a password";

TEST(plain_client, keeps_the_password_until_hello) {
  plain_client_mechanism c{{.username = "alice", .password = std::string{password}}, {}, {}};
  EXPECT_TRUE(holds(c, password));
  std::string output;
  c.start(output);
  EXPECT_FALSE(holds(c, password));
}

TEST(plain_server, keeps_the_password_until_it_is_checked) {
  plain_server_mechanism s{{}, {}};
  std::string output;
  s.start(output);
  ASSERT_EQ(s.on_command(test::bytes("05 'HELLO' 05 'alice' 0a 'a password'"), output).value(),
            mechanism::progress::authentication);
  EXPECT_TRUE(holds(s, password));
  EXPECT_EQ(s.authenticated(output), mechanism::progress::more);
  EXPECT_FALSE(holds(s, password));
}

}  // namespace
}  // namespace zmtp
