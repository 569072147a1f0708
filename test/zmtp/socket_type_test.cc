#include "zmtp/socket_type.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace zmtp {
namespace {

// RFC 28–31 and 37: the compatible pairs of types.
const std::map<std::string, std::set<std::string>> accepted_peers{
    {"REQ", {"REP", "ROUTER"}},
    {"REP", {"REQ", "DEALER"}},
    {"DEALER", {"REP", "DEALER", "ROUTER"}},
    {"ROUTER", {"REQ", "DEALER", "ROUTER"}},
    {"PUB", {"SUB", "XSUB"}},
    {"XPUB", {"SUB", "XSUB"}},
    {"SUB", {"PUB", "XPUB"}},
    {"XSUB", {"PUB", "XPUB"}},
    {"PUSH", {"PULL"}},
    {"PULL", {"PUSH"}},
    {"PAIR", {"PAIR"}},
};

TEST(socket_type, every_name_is_read_back) {
  std::set<socket_type> types;
  for (const auto& [name, peers] : accepted_peers) {
    const auto type = parse_socket_type(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(to_string(*type), name);
    types.insert(*type);
  }
  EXPECT_EQ(types.size(), 11U);
}

TEST(socket_type, is_compatible_with_the_listed_types_and_no_others) {
  for (const auto& [ours, peers] : accepted_peers) {
    for (const auto& [theirs, unused] : accepted_peers) {
      EXPECT_EQ(compatible(*parse_socket_type(ours), *parse_socket_type(theirs)),
                peers.count(theirs) == 1)
          << ours << " to " << theirs;
    }
  }
}

// So libzmq does, whose peers may rely on it.
TEST(socket_type, three_types_announce_a_routing_id) {
  const std::set<std::string> announcing{"REQ", "DEALER", "ROUTER"};
  for (const auto& [name, peers] : accepted_peers) {
    EXPECT_EQ(announces_routing_id(*parse_socket_type(name)), announcing.contains(name)) << name;
  }
}

TEST(socket_type, unknown_names_are_rejected) {
  using namespace std::string_view_literals;
  for (const auto name : {""sv, "pub"sv, "Pub"sv, "PU"sv, "PUBX"sv, " PUB"sv, "PUB "sv, "PUB\0"sv,
                          "CLIENT"sv, "SERVER"sv, "RADIO"sv, "STREAM"sv}) {
    EXPECT_FALSE(parse_socket_type(name)) << name;
  }
}

}  // namespace
}  // namespace zmtp
