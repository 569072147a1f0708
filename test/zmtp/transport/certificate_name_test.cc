#include "zmtp/transport/certificate_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zmtp::transport {
namespace {

using names = std::vector<std::string>;

TEST(certificate_name, is_the_first_common_name_or_else_the_first_alternative) {
  EXPECT_EQ(certificate_name(names{"alice", "bob"}, names{"a.example"}), "alice");
  EXPECT_EQ(certificate_name(names{}, names{"a.example", "b.example"}), "a.example");
  EXPECT_EQ(certificate_name(names{}, names{}), "");
}

TEST(certificate_name, is_never_one_that_a_log_or_a_rule_could_misread) {
  const std::string zero{"admin\0.example", 14};
  for (const auto& bad :
       {std::string{}, zero, std::string{"a\nb"}, std::string{"\x7f"}, std::string(256, 'a')}) {
    EXPECT_EQ(certificate_name(names{bad}, names{}), "");
    EXPECT_EQ(certificate_name(names{bad, "good"}, names{}), "good");
    EXPECT_EQ(certificate_name(names{bad}, names{bad, "good"}), "good");
  }
  EXPECT_EQ(certificate_name(names{std::string(255, 'a')}, names{}), std::string(255, 'a'));
  EXPECT_EQ(certificate_name(names{"J\xc3\xb6rg"}, names{}), "J\xc3\xb6rg");
}

}  // namespace
}  // namespace zmtp::transport
