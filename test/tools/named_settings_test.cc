#include "tools/zinc/named_settings.h"

#include <gtest/gtest.h>

#include <string>

namespace zinc {
namespace {

using settings = std::vector<std::pair<std::string, std::string>>;

std::string error_of(std::string_view text) {
  try {
    static_cast<void>(parse_named_settings(text));
  } catch (const settings_error& e) {
    return e.what();
  }
  return "none";
}

TEST(named_settings, have_a_name_and_pairs) {
  const auto one = parse_named_settings("echo:attempts=2");
  EXPECT_EQ(one.name, "echo");
  EXPECT_EQ(one.settings, (settings{{"attempts", "2"}}));
  const auto several = parse_named_settings("logs.*:timeout=2.5s,bytes=1MiB,empty=");
  EXPECT_EQ(several.name, "logs.*");
  EXPECT_EQ(several.settings, (settings{{"timeout", "2.5s"}, {"bytes", "1MiB"}, {"empty", ""}}));
}

TEST(named_settings, take_the_last_colon_as_the_end_of_the_name) {
  EXPECT_EQ(parse_named_settings("a:b=c,d:attempts=2").name, "a:b=c,d");
  EXPECT_EQ(parse_named_settings(":attempts=2").name, "");
}

TEST(named_settings, refuse_a_name_alone) {
  EXPECT_EQ(error_of("echo"),
            "'echo' has no settings; give NAME:KEY=VALUE,KEY=VALUE, for example echo:attempts=2");
  EXPECT_NE(error_of("echo:").find("'echo:' has '' instead of KEY=VALUE"), std::string::npos);
}

TEST(named_settings, refuse_words_that_are_not_pairs) {
  for (const std::string text : {"", "echo attempts=2", "echo:attempts", "echo:attempts=2,",
                                 "echo:,attempts=2", "echo:=2", "echo:attempts=2,,poison=drop"}) {
    EXPECT_NE(error_of(text).find("give NAME:KEY=VALUE,KEY=VALUE"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace zinc
