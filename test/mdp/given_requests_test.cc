#include "mdp/given_requests.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace mdp {
namespace {

TEST(given_requests, are_found_by_their_tokens) {
  given_requests given;
  EXPECT_EQ(given.find(0), nullptr);
  EXPECT_EQ(given.find(1), nullptr);
  request a;
  request b;
  given.enter(a);
  given.enter(b);
  EXPECT_NE(a.token, 0U);
  EXPECT_GT(b.token, a.token);
  EXPECT_EQ(given.find(a.token), &a);
  EXPECT_EQ(given.find(b.token), &b);
  EXPECT_EQ(given.find(b.token + 1), nullptr);
  EXPECT_EQ(given.find(a.token + (1ULL << 40)), nullptr);
  given.leave(a);
  EXPECT_EQ(given.find(a.token), nullptr);
  EXPECT_EQ(given.find(b.token), &b);
  EXPECT_EQ(given.size(), 1U);
}

TEST(given_requests, tokens_of_attempts_are_unique) {
  given_requests given;
  std::mt19937 random{1};
  std::vector<std::unique_ptr<request>> in;
  std::uint64_t last = 0;
  for (int i = 0; i < 20'000; ++i) {
    // The number of requests changes between many and few. The first ten stay until the end.
    const std::size_t wanted = i / 1000 % 2 == 0 ? 700 : 20;
    while (in.size() > wanted) {
      const auto at = 10 + random() % (in.size() - 10);
      const auto token = in[at]->token;
      given.leave(*in[at]);
      EXPECT_EQ(given.find(token), nullptr);
      std::swap(in[at], in.back());
      in.pop_back();
    }
    in.push_back(std::make_unique<request>());
    given.enter(*in.back());
    ASSERT_GT(in.back()->token, last);
    last = in.back()->token;
    ASSERT_EQ(given.size(), in.size());
  }
  for (const auto& r : in) {
    EXPECT_EQ(given.find(r->token), r.get());
  }
}

}  // namespace
}  // namespace mdp
