#include "zmtp/pattern/freelance_server_state.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

class reply_caches : public testing::Test {
public:
  reply_cache::time_point now{1h};
};

TEST_F(reply_caches, carry_a_request_out_once) {
  reply_cache cache;
  int executed = 0;
  const auto execute = [&] { return message{std::to_string(++executed)}; };
  const auto first = reply_cache::key("client", "1");
  EXPECT_EQ(cache.answer(first, now, execute), message{"1"sv});
  EXPECT_EQ(cache.answer(first, now, execute), message{"1"sv});
  EXPECT_EQ(cache.answer(reply_cache::key("client", "2"), now, execute), message{"2"sv});
  EXPECT_EQ(cache.answer(reply_cache::key("other", "1"), now, execute), message{"3"sv});
  EXPECT_EQ(cache.hits(), 1U);
  EXPECT_EQ(cache.entries(), 3U);
}

TEST_F(reply_caches, store_the_first_reply_byte_by_byte) {
  reply_cache cache;
  const message reply{std::string(10'000, 'x'), ""sv, "\0\1"sv};
  cache.store("key", reply, now);
  cache.store("key", {"another"sv}, now);
  ASSERT_NE(cache.find("key", now), nullptr);
  EXPECT_EQ(*cache.find("key", now), reply);
}

TEST_F(reply_caches, keys_are_of_two_parts) {
  EXPECT_NE(reply_cache::key("a", "bc"), reply_cache::key("ab", "c"));
  EXPECT_NE(reply_cache::key("", "1:a"), reply_cache::key("1:a", ""));
}

TEST_F(reply_caches, are_bounded_by_entries) {
  reply_cache cache{{.entries = 3}};
  for (int i = 0; i < 10; ++i) {
    cache.store(std::to_string(i), {"reply"sv}, now);
  }
  EXPECT_EQ(cache.entries(), 3U);
  EXPECT_EQ(cache.find("6", now), nullptr);
  EXPECT_NE(cache.find("7", now), nullptr);
  reply_cache none{{.entries = 0}};
  none.store("1", {"reply"sv}, now);
  EXPECT_EQ(none.entries(), 0U);
}

TEST_F(reply_caches, are_bounded_by_bytes) {
  reply_cache cache{{.bytes = 10'000}};
  for (int i = 0; i < 100; ++i) {
    cache.store(std::to_string(i), {std::string(1'000, 'x')}, now);
    EXPECT_LE(cache.bytes(), 10'000U);
  }
  EXPECT_GE(cache.entries(), 5U);
  EXPECT_NE(cache.find("99", now), nullptr);
  cache.store("too large", {std::string(20'000, 'x')}, now);
  EXPECT_EQ(cache.find("too large", now), nullptr);
  EXPECT_NE(cache.find("99", now), nullptr) << "nothing gives way to what is not kept";
}

TEST_F(reply_caches, are_bounded_by_age) {
  reply_cache cache{{.age = 10s}};
  cache.store("1", {"reply"sv}, now);
  now += 5s;
  cache.store("2", {"reply"sv}, now);
  now += 5s;
  EXPECT_EQ(cache.find("1", now), nullptr);
  EXPECT_NE(cache.find("2", now), nullptr);
  now += 5s;
  EXPECT_EQ(cache.find("2", now), nullptr);
  EXPECT_EQ(cache.bytes(), 0U);
}

}  // namespace
}  // namespace zmtp
