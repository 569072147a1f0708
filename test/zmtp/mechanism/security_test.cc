#include "zmtp/mechanism/security.h"

#include <gtest/gtest.h>

#include <string>

namespace zmtp {
namespace {

metadata announcing(std::string_view type) {
  metadata own;
  own.add("Socket-Type", type);
  return own;
}

TEST(make_mechanism, null_is_the_default_and_has_no_server) {
  const auto made =
      make_mechanism(socket_options{}.security, handshake_role::accepting, announcing("PUB"), {});
  EXPECT_EQ(made->name(), "NULL");
  EXPECT_FALSE(made->as_server());
  EXPECT_EQ(made->take_framing(), nullptr);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(made->shown()));
}

TEST(make_mechanism, only_the_connecting_side_sends_ready_first) {
  std::string of_connecting;
  std::string of_accepting;
  make_mechanism({}, handshake_role::connecting, announcing("SUB"), {})->start(of_connecting);
  make_mechanism({}, handshake_role::accepting, announcing("PUB"), {})->start(of_accepting);
  EXPECT_NE(of_connecting.find("SUB"), std::string::npos);
  EXPECT_EQ(of_accepting, "");
}

}  // namespace
}  // namespace zmtp
