#include "zmtp/authenticators/zap_message.h"

#include "test/zmtp/authenticators/later_answer.h"
#include "zmtp/metadata.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using parts = std::vector<std::string>;

parts to_parts(const message& from) {
  parts made;
  for (const auto part : from) {
    made.emplace_back(part);
  }
  return made;
}

message from_parts(const parts& from) {
  message made;
  for (const auto& part : from) {
    made.push_back(part);
  }
  return made;
}

const zap_request request{.id = "7", .domain = "global", .routing_id = "server"};

peer_info peer(std::string mechanism, std::string address = "127.0.0.1:40312") {
  return test::peer_at(std::move(address), std::move(mechanism));
}

// ZAP-1
TEST(zap_request, has_the_credentials_of_its_mechanism) {
  EXPECT_EQ(to_parts(to_message(request, peer("NULL"), {})),
            (parts{"1.0", "7", "global", "127.0.0.1", "server", "NULL"}));
  EXPECT_EQ(to_parts(to_message(request, peer("PLAIN"), plain_credentials{"admin", "secret"})),
            (parts{"1.0", "7", "global", "127.0.0.1", "server", "PLAIN", "admin", "secret"}));
  curve_credentials curve{};
  curve.public_key.fill(std::byte{'k'});
  EXPECT_EQ(to_parts(to_message(request, peer("CURVE"), curve)),
            (parts{"1.0", "7", "global", "127.0.0.1", "server", "CURVE", std::string(32, 'k')}));
}

// ZAP-2
TEST(zap_request, has_the_address_without_the_port) {
  const auto sent = [](const char* address) {
    return std::string{to_message(request, peer("NULL", address), {})[3]};
  };
  EXPECT_EQ(sent("[::1]:40312"), "::1");
  EXPECT_EQ(sent("/run/a:b"), "/run/a:b");
  EXPECT_EQ(sent("@a:b"), "@a:b");
  EXPECT_EQ(sent(""), "");
}

std::string decision(const parts& reply) {
  const auto parsed = parse_zap_reply(from_parts(reply), request);
  if (const auto* const fault = std::get_if<std::string>(&parsed)) {
    return *fault;
  }
  const auto& verdict = std::get<authenticator::verdict>(parsed);
  if (const auto* const refused = std::get_if<authenticator::refusal>(&verdict)) {
    return "refused " + refused->status;
  }
  const auto& who = std::get<authenticator::principal>(verdict);
  std::string text = "user " + who.user_id;
  for (const auto& [name, value] : who.properties.properties()) {
    text += " " + name + "=" + value;
  }
  return text;
}

// ZAP-3, ZAP-4, ZAP-6
TEST(zap_reply, decides) {
  metadata properties;
  properties.add("Role", "admin");
  std::string encoded;
  properties.encode(encoded);
  EXPECT_EQ(decision({"1.0", "7", "200", "OK", "alice", encoded}), "user alice Role=admin");
  EXPECT_EQ(decision({"1.0", "7", "200", "", "", ""}), "user ");
  EXPECT_EQ(decision({"1.0", "7", "300", "later", "", ""}), "refused ");
  EXPECT_EQ(decision({"1.0", "7", "400", "no", "", ""}), "refused 400");
  EXPECT_EQ(decision({"1.0", "7", "500", "fault", "", ""}), "refused 500");
}

// Each of them would admit the peer if it were right.
// ZAP-3
TEST(zap_reply, is_malformed) {
  const std::vector<std::pair<parts, std::string>> table{
      {{}, "the reply has 0 frames and not 6"},
      {{"1.0", "7", "200", "OK", "alice"}, "the reply has 5 frames and not 6"},
      {{"1.0", "7", "200", "OK", "alice", "", ""}, "the reply has 7 frames and not 6"},
      {{"", "1.0", "7", "200", "OK", "alice"}, "the version of the reply is not 1.0"},
      {{"1.1", "7", "200", "OK", "alice", ""}, "the version of the reply is not 1.0"},
      {{"1.0", "8", "200", "OK", "alice", ""}, "the reply has another request id"},
      {{"1.0", "", "200", "OK", "alice", ""}, "the reply has another request id"},
      {{"1.0", "7", "201", "OK", "alice", ""},
       "the status of the reply is not 200, 300, 400 or 500"},
      {{"1.0", "7", "2000", "OK", "alice", ""},
       "the status of the reply is not 200, 300, 400 or 500"},
      {{"1.0", "7", "", "OK", "alice", ""}, "the status of the reply is not 200, 300, 400 or 500"},
      {{"1.0", "7", "200", "OK", std::string(256, 'a'), ""},
       "the user id of the reply has more than 255 bytes"},
  };
  for (const auto& [reply, fault] : table) {
    EXPECT_EQ(decision(reply), fault);
  }
  EXPECT_EQ(decision({"1.0", "7", "200", "OK", "alice", "\x05"}).find("the metadata of the reply"),
            0U);
}

}  // namespace
}  // namespace zmtp
