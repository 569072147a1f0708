#include "chp/announcement.h"

#include "zmtp/metadata.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

announcement received(const std::vector<std::string>& extensions) {
  zmtp::metadata peer;
  zmtp::announce_extensions(peer, extensions);
  return parse_announcement(peer);
}

TEST(chp_announcement, parses_the_announcement_of_each_role) {
  EXPECT_TRUE(received(announce_server()).acks);
  EXPECT_TRUE(received(announce_server()).log);
  EXPECT_FALSE(received(announce_server()).session);
  EXPECT_FALSE(received(announce_server()).backup);
  for (const std::uint64_t session : {std::uint64_t{0}, std::uint64_t{0x8abc}, ~std::uint64_t{0}}) {
    EXPECT_EQ(received(announce_client(session)).session, session);
    EXPECT_TRUE(received(announce_client(session)).acks);
    EXPECT_TRUE(received(announce_client(session)).log);
    EXPECT_FALSE(received(announce_client(session)).backup);
  }
  EXPECT_EQ(announce_client(0x8abc),
            (std::vector<std::string>{"chp-ack=0000000000008abc", "chp-log"}));
  EXPECT_TRUE(received(announce_backup()).backup);
  EXPECT_TRUE(received(announce_backup()).log);
  EXPECT_FALSE(received(announce_backup()).acks) << "it repeats no request";
}

TEST(chp_announcement, peers_without_extensions_follow_the_specification) {
  EXPECT_FALSE(received({}).acks);
  EXPECT_FALSE(received({}).log);
  EXPECT_FALSE(received({}).backup);
  EXPECT_FALSE(received({"chp-ack=0000000000008abc"}).log);
  EXPECT_FALSE(received({"capacity=3"}).acks);
}

TEST(chp_announcement, ignores_a_malformed_session) {
  for (const auto bad : {"chp-ack=", "chp-ack=12", "chp-ack=000000000000000g",
                         "chp-ack=00000000000000001", "chp-ack=-000000000000001"}) {
    EXPECT_TRUE(received({bad}).acks) << bad;
    EXPECT_FALSE(received({bad}).session) << bad;
  }
}

}  // namespace
}  // namespace chp
