#include "bstar/options.h"

#include "bstar/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace bstar {
namespace {

using namespace std::chrono_literals;

TEST(pair_options, the_defaults_match_the_guide) {
  const pair_options options;
  EXPECT_FALSE(validate(options));
  EXPECT_EQ(options.heartbeat, 1s);
  EXPECT_EQ(options.expiry_or_default(), 2s);
  EXPECT_EQ((pair_options{.heartbeat = 50ms}).expiry_or_default(), 100ms);
}

TEST(pair_options, values_that_no_pair_can_use_are_rejected) {
  for (const auto& options : {
           pair_options{.heartbeat = 0ms},
           pair_options{.heartbeat = -1ms},
           pair_options{.heartbeat = 24h + 1ms},
           pair_options{.expiry = 1s},
           pair_options{.expiry = 0ms},
           pair_options{.expiry = 48h + 1ms},
           pair_options{.promote_alone_after = -1ms},
           pair_options{.promote_alone_after = 24h + 1ms},
       }) {
    EXPECT_EQ(validate(options), errc::bad_option);
  }
  EXPECT_FALSE(validate({.heartbeat = 1ms, .expiry = 2ms, .promote_alone_after = 0ms}));
  EXPECT_FALSE(validate({.heartbeat = 24h}));
}

TEST(error, each_error_has_its_own_text) {
  std::set<std::string> texts;
  for (std::size_t i = 1; i < errc_count; ++i) {
    texts.insert(make_error_code(static_cast<errc>(i)).message());
  }
  EXPECT_EQ(texts.size(), errc_count - 1);
  EXPECT_FALSE(texts.contains(bstar_category().message(0)));
  EXPECT_EQ(bstar_category().message(errc_count), bstar_category().message(0));
  EXPECT_EQ(std::string{bstar_category().name()}, "bstar");
}

}  // namespace
}  // namespace bstar
