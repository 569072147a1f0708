#include "zmtp/mechanism/security.h"

#include "test/zmtp/mechanism/mechanism_script.h"
#include "zmtp/mechanism/null.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {
namespace {

using test::announcing;

TEST(make_mechanism, null_is_the_default_and_has_no_server) {
  const auto made = make_mechanism(socket_options{}.security, handshake_role::accepting,
                                   announcing("PUB"), {}, {});
  EXPECT_EQ(made->name(), "NULL");
  EXPECT_FALSE(made->as_server());
  EXPECT_EQ(made->take_framing(), nullptr);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(made->shown()));
}

TEST(make_mechanism, only_the_connecting_side_sends_ready_first) {
  std::string of_connecting;
  std::string of_accepting;
  make_mechanism({}, handshake_role::connecting, announcing("SUB"), {}, {})->start(of_connecting);
  make_mechanism({}, handshake_role::accepting, announcing("PUB"), {}, {})->start(of_accepting);
  EXPECT_NE(of_connecting.find("SUB"), std::string::npos);
  EXPECT_EQ(of_accepting, "");
}

TEST(make_mechanism, a_program_may_bring_its_own) {
  struct own_mechanism : null_mechanism {
    using null_mechanism::null_mechanism;
    [[nodiscard]] std::string_view name() const noexcept override { return "OWN"; }
  };
  handshake_role asked_for{};
  std::size_t frame_size = 0;
  std::string type;
  const security_options own = custom_security{
      [&](handshake_role role, metadata properties, const limits& limit, const random_bytes&) {
        asked_for = role;
        frame_size = limit.frame_size;
        type = *properties.find("Socket-Type");
        return std::make_unique<own_mechanism>(std::move(properties), limit);
      }};
  const auto made =
      make_mechanism(own, handshake_role::accepting, announcing("PUB"), {.frame_size = 77}, {});
  EXPECT_EQ(made->name(), "OWN");
  EXPECT_EQ(asked_for, handshake_role::accepting);
  EXPECT_EQ(frame_size, 77U);
  EXPECT_EQ(type, "PUB");
}

}  // namespace
}  // namespace zmtp
