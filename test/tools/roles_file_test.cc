#include "tools/zinc/roles_file.h"

#include "chp/map_access.h"
#include "mdp/options.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace zinc {
namespace {

constexpr auto call = static_cast<std::uint8_t>(mdp::right::call);
constexpr auto offer = static_cast<std::uint8_t>(mdp::right::offer);
constexpr auto inspect = static_cast<std::uint8_t>(mdp::right::inspect);
constexpr auto represent = static_cast<std::uint8_t>(mdp::right::represent);
constexpr auto read = static_cast<std::uint8_t>(chp::right::read);
constexpr auto write = static_cast<std::uint8_t>(chp::right::write);

constexpr std::string_view example = R"(
# Comments are allowed.
[services.alice]
call = ["orders", "mail.*"]
inspect = ["*"]

[services."workers of orders"]
offer = ["orders"]

[services."*"]
call = ["public.*"]

[services.titanic]
represent = ["alice", "guest*"]

[map.alice]
read = ["/orders/*", "/public/*"]
write = ["/orders/alice/*"]

[map.anonymous]
read = ["/public/*"]
)";

std::string fault_of(std::string_view text, roles_table which = roles_table::services) {
  try {
    (void)parse_roles(text, "roles.toml", which);
  } catch (const roles_fault& fault) {
    return fault.what();
  }
  return "no fault";
}

TEST(roles_file, gives_the_rules_of_services) {
  const auto rules = parse_roles(example, "roles.toml", roles_table::services);
  EXPECT_TRUE(rules.allows("alice", call, "orders"));
  EXPECT_TRUE(rules.allows("alice", call, "mail.send"));
  EXPECT_TRUE(rules.allows("alice", call, "public.time"));
  EXPECT_FALSE(rules.allows("alice", call, "orders.more"));
  EXPECT_FALSE(rules.allows("alice", offer, "orders"));
  EXPECT_TRUE(rules.allows("alice", inspect, "anything"));
  EXPECT_TRUE(rules.allows("workers of orders", offer, "orders"));
  EXPECT_TRUE(rules.allows("titanic", represent, "alice"));
  EXPECT_TRUE(rules.allows("titanic", represent, "guest7"));
  EXPECT_FALSE(rules.allows("titanic", represent, "bob"));
  EXPECT_TRUE(rules.allows("", call, "public.time"));
  EXPECT_FALSE(rules.allows("", call, "orders"));
}

TEST(roles_file, gives_the_rules_of_the_map) {
  const auto rules = parse_roles(example, "roles.toml", roles_table::map);
  EXPECT_TRUE(rules.allows("alice", read, "/orders/1"));
  EXPECT_TRUE(rules.allows("alice", write, "/orders/alice/1"));
  EXPECT_FALSE(rules.allows("alice", write, "/orders/bob/1"));
  EXPECT_TRUE(rules.allows("", read, "/public/1"));
  EXPECT_FALSE(rules.allows("", write, "/public/1"));
}

TEST(roles_file, an_empty_table_of_a_principal_allows_nothing) {
  const auto rules = parse_roles("[services.alice]\n", "roles.toml", roles_table::services);
  EXPECT_FALSE(rules.permits_all());
  EXPECT_FALSE(rules.allows("alice", call, "orders"));
}

TEST(roles_file, a_fault_names_the_line_and_the_key) {
  struct {
    std::string_view text;
    std::string_view begins;
  } const table[] = {
      {"\n[services.alice]\ncalls = [\"x\"]\n",
       "roles.toml, line 3, services.alice.calls: unknown"},
      {"[services.alice]\ncall = \"x\"\n", "roles.toml, line 2, services.alice.call: not a list"},
      {"[services.alice]\ncall = [\n  \"x\",\n  7\n]\n",
       "roles.toml, line 4, services.alice.call: not a string"},
      {"[services.alice]\ncall = [\"\"]\n", "roles.toml, line 2, services.alice.call: the name is"},
      {"[services.alice]\ncall = [\"a*b\"]\n",
       "roles.toml, line 2, services.alice.call: 'a*b' has a *"},
      {"[map.alice]\nread = [\"/a/\"]\n[services.a]\n",
       "roles.toml, line 2, map.alice.read: '/a/' does not end with *"},
      {"[services.alice]\nread = [\"x\"]\n", "roles.toml, line 2, services.alice.read: unknown"},
      {"\n\n[service.alice]\n", "roles.toml, line 3, service: unknown table"},
      {"services = 1\n", "roles.toml, line 1, services: not a table"},
      {"[services]\nalice = 1\n", "roles.toml, line 2, services.alice: not a table"},
      {"[services.alice]\ncall = [\n", "roles.toml, line"},
      {"[services.alice]\n[services.alice]\n", "roles.toml, line 2"},
      {"", "roles.toml: has no table 'services'"},
      {"[map.alice]\n", "roles.toml: has no table 'services'"},
  };
  for (const auto& each : table) {
    const auto fault = fault_of(each.text);
    EXPECT_TRUE(fault.starts_with(each.begins)) << each.text << '\n' << fault;
  }
  EXPECT_TRUE(fault_of("[services.a]\n", roles_table::map).starts_with("roles.toml: has no table"));
}

TEST(roles_file, a_file_that_cannot_be_read_is_named) {
  for (const auto& [file, why] :
       {std::pair{std::string{"/nonexistent/roles.toml"}, "No such file or directory"},
        {std::string{"/dev/zero"}, "it is a device or a pipe, not a file"},
        {testing::TempDir(), "Is a directory"}}) {
    try {
      (void)read_roles(file, roles_table::map);
      ADD_FAILURE();
    } catch (const roles_fault& fault) {
      EXPECT_EQ(fault.what(), "cannot read " + file + ": " + why + "; check the path");
    }
  }
}

}  // namespace
}  // namespace zinc
