#include "chp/proposal.h"

#include "chp/properties.h"
#include "test/chp/update_ids.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace chp {
namespace {

using namespace std::chrono_literals;

using test::some_id;

TEST(chp_proposal, is_read_from_a_kvset) {
  std::string properties = "ttl=5\nlow=2\nother=x\n";
  append_since(properties, {1, ~std::uint64_t{0}, 99});
  const auto m = make_set(form::kvmsg, "key", some_id, properties, "value");
  const auto p = parse_proposal(m, form::kvmsg, {});
  EXPECT_EQ(p.fault, errc{});
  EXPECT_EQ(p.id, some_id);
  EXPECT_EQ(p.key, "key");
  EXPECT_EQ(p.value, "value");
  EXPECT_EQ(p.properties, "ttl=5\n") << "the rest is not part of the update";
  EXPECT_EQ(p.ttl, 5s);
  EXPECT_EQ(p.low, 2U);
  EXPECT_EQ(parse_since(p.since), (position{1, ~std::uint64_t{0}, 99}));
  EXPECT_FALSE(p.erases);
  EXPECT_FALSE(p.asks);
}

TEST(chp_proposal, without_properties_has_the_defaults) {
  const auto m = make_set(form::kvmsg, "key", {}, "", "");
  const auto p = parse_proposal(m, form::kvmsg, {});
  EXPECT_TRUE(p.erases);
  EXPECT_TRUE(p.id.empty());
  EXPECT_EQ(p.low, 1U);
  EXPECT_EQ(p.since, "");
  EXPECT_EQ(p.ttl, 0s);
}

// Otherwise the server would keep the outcomes of all earlier updates of the client.
TEST(chp_proposal, with_a_fault_has_what_the_client_says_of_its_session) {
  std::string properties = "low=7\n";
  append_since(properties, {1, 2, 3});
  properties += "asks=1\n";
  for (const auto& [key, value, fault] :
       {std::tuple{"HUGZ", "value", errc::key_reserved}, {"key", "long", errc::value_too_long}}) {
    const auto m = make_set(form::kvmsg, key, some_id, properties, value);
    const auto p = parse_proposal(m, form::kvmsg, {.max_value_size = 3});
    EXPECT_EQ(p.fault, fault);
    EXPECT_EQ(p.id, some_id);
    EXPECT_TRUE(p.has_low);
    EXPECT_EQ(p.low, 7U);
    EXPECT_EQ(parse_since(p.since), (position{1, 2, 3}));
    EXPECT_TRUE(p.asks);
  }
}

TEST(chp_proposal, ignores_malformed_places) {
  EXPECT_FALSE(parse_since(""));
  EXPECT_FALSE(parse_since("1-2"));
  EXPECT_FALSE(parse_since("1-2-x"));
  EXPECT_FALSE(parse_since("1-2-3-4"));
  EXPECT_FALSE(parse_since("1-2-" + std::to_string(max_sequence + 1)));
  EXPECT_EQ(parse_since("1-2-3"), (position{1, 2, 3}));
}

}  // namespace
}  // namespace chp
