#include "chp/lost_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace chp {
namespace {

using namespace std::chrono_literals;

std::string line_of(const log_entry& e) {
  std::string line;
  const auto count = append_lost(line, e);
  EXPECT_EQ(count, line.empty() ? 0U : 1U);
  return line;
}

TEST(chp_lost_lines, have_what_an_application_needs_to_decide) {
  EXPECT_EQ(line_of({.number = 9, .key = "k\"", .value = "v"}),
            "{\"number\":9,\"key\":\"k\\\"\",\"value\":\"v\"}\n");
  EXPECT_EQ(line_of({.number = 9, .ttl = 2s, .key = "k", .value = "v"}),
            "{\"number\":9,\"key\":\"k\",\"value\":\"v\",\"ttl\":2000}\n");
  EXPECT_EQ(line_of({.number = 9, .kind = entry_kind::erasure, .key = "k"}),
            "{\"number\":9,\"key\":\"k\",\"erased\":true}\n");
  const auto id = update_id::of_random(1, 2);
  const auto text = id.text();
  const std::string digits{text.data(), text.size()};
  EXPECT_EQ(line_of({.number = 9, .kind = entry_kind::erasure, .id = id, .key = "k"}),
            "{\"number\":9,\"key\":\"k\",\"erased\":true,\"id\":\"" + digits + "\"}\n");
}

TEST(chp_lost_lines, write_bytes_that_are_not_text_as_hexadecimal_digits) {
  EXPECT_EQ(line_of({.number = 1, .key = "k", .value = "\xff\x01"}),
            "{\"number\":1,\"key\":\"k\",\"value\":{\"hex\":\"ff01\"}}\n");
}

TEST(chp_lost_lines, have_no_line_for_an_entry_without_an_update) {
  EXPECT_EQ(line_of({.number = 1, .kind = entry_kind::reign, .argument = 1}), "");
  EXPECT_EQ(line_of({.number = 2, .kind = entry_kind::expiry, .argument = 1, .key = "k"}), "");
  EXPECT_EQ(line_of({.number = 2, .kind = entry_kind::refusal, .argument = 1}), "");
}

}  // namespace
}  // namespace chp
