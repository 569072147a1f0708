#include "chp/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace chp {
namespace {

TEST(chp_error, each_has_a_text_of_its_own) {
  std::set<std::string> texts;
  for (std::size_t i = 1; i < errc_count; ++i) {
    const boost::system::error_code ec = static_cast<errc>(i);
    EXPECT_STREQ(ec.category().name(), "chp");
    EXPECT_NE(ec.message(), "unknown chp error") << i;
    texts.insert(ec.message());
  }
  EXPECT_EQ(texts.size(), errc_count - 1);
  EXPECT_EQ(make_error_code(static_cast<errc>(errc_count)).message(), "unknown chp error");
}

}  // namespace
}  // namespace chp
