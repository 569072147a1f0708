#include "tools/zinc/interop/drills.h"

#include "tools/zinc/interop/output_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace zinc::interop {
namespace {

// The programs of the Guide. Black Box has no code there.
const std::set<std::string> of_the_guide{
    "lpserver",  "lpclient",  "spqueue",   "spworker",  "ppqueue",   "ppworker",  "mdbroker",
    "mdworker",  "mdclient",  "mdclient2", "mmiecho",   "titanic",   "ticlient",  "tripping",
    "bstarsrv",  "bstarcli",  "bstarsrv2", "flserver1", "flclient1", "flserver2", "flclient2",
    "flserver3", "flclient3", "espresso",  "pathopub",  "pathosub",  "lvcache",   "suisnail",
    "clonesrv1", "clonesrv2", "clonesrv3", "clonesrv4", "clonesrv5", "clonesrv6", "clonecli1",
    "clonecli2", "clonecli3", "clonecli4", "clonecli5", "clonecli6"};

std::vector<expected_line> all_lines() {
  std::vector<expected_line> found;
  for (const auto& one : all_pairs()) {
    for (const auto& d : one.drills) {
      for (const auto& s : d.steps) {
        std::visit(
            [&found](const auto& action) {
              if constexpr (requires { action.line; }) {
                found.push_back(action.line);
              }
            },
            s.what);
      }
    }
  }
  return found;
}

// Returns whether the pattern with this shown form accepts the line.
bool is_expected(const std::string& shown, const std::string& line) {
  output_lines said;
  said.add(line + "\n");
  const auto lines = all_lines();
  return std::any_of(lines.begin(), lines.end(),
                     [&](const expected_line& one) { return one.shown == shown && said.has(one); });
}

TEST(drills, every_program_of_the_guide_has_a_part) {
  std::set<std::string> played;
  for (const auto& one : all_pairs()) {
    for (const auto& d : one.drills) {
      played.merge(programs_of(d, side::server));
      played.merge(programs_of(d, side::client));
    }
  }
  EXPECT_EQ(played, of_the_guide);
}

TEST(drills, some_drill_of_a_pair_uses_both_programs) {
  for (const auto& one : all_pairs()) {
    std::set<std::string> played;
    for (const auto& d : one.drills) {
      played.merge(programs_of(d, side::server));
      played.merge(programs_of(d, side::client));
    }
    EXPECT_TRUE(played.count(one.server) == 1 && played.count(one.client) == 1) << one.name();
  }
}

TEST(drills, names_are_used_once) {
  std::set<std::string> names;
  for (const auto& one : all_pairs()) {
    for (const auto& d : one.drills) {
      EXPECT_TRUE(names.insert(one.name() + " " + d.name).second) << one.name() << " " << d.name;
    }
  }
}

TEST(drills, a_drill_waits_only_for_started_programs) {
  for (const auto& one : all_pairs()) {
    for (const auto& d : one.drills) {
      std::set<std::string> started;
      for (const auto& s : d.steps) {
        std::visit(
            [&](const auto& action) {
              if constexpr (requires { action.program; }) {
                started.insert(action.label.empty() ? action.program : action.label);
              } else if constexpr (requires { action.label; }) {
                EXPECT_EQ(started.count(action.label), 1U)
                    << one.name() << " " << d.name << ": " << action.label;
              }
            },
            s.what);
      }
    }
  }
}

TEST(drills, something_is_expected_in_each) {
  for (const auto& one : all_pairs()) {
    for (const auto& d : one.drills) {
      EXPECT_TRUE(std::any_of(d.steps.begin(), d.steps.end(),
                              [](const step& s) {
                                return std::holds_alternative<says>(s.what) ||
                                       std::holds_alternative<until>(s.what);
                              }))
          << one.name() << " " << d.name;
    }
  }
}

TEST(drills, a_line_that_counts_up_has_a_number) {
  for (const auto& one : all_pairs()) {
    for (const auto& d : one.drills) {
      for (const auto& s : d.steps) {
        if (const auto* const counted = std::get_if<counts_up>(&s.what)) {
          EXPECT_EQ(std::regex{counted->line.pattern}.mark_count(), 1U);
        }
      }
    }
  }
}

// The pattern accepts its shown form. The test replaces placeholders first.
TEST(drills, the_shown_form_of_a_line_is_accepted) {
  for (const auto& line : all_lines()) {
    auto shown = std::regex_replace(line.shown, std::regex{", or .*"}, "");
    shown = std::regex_replace(shown, std::regex{"\\bN\\b|NNNNN"}, "10000");
    shown = std::regex_replace(shown, std::regex{"10000 requests"}, "100000 requests");
    EXPECT_TRUE(is_expected(line.shown, shown)) << shown;
  }
}

TEST(drills, lines_are_accepted_as_the_guide_has_them_in_both_languages) {
  const std::map<std::string, std::vector<std::string>> forms{
      {"I: server replied OK (N)", {"I: server replied OK (1)", "INFO: Server replied OK (b'0')"}},
      {"I: normal request (N)", {"I: normal request (1)", "INFO: Normal request (b'0')"}},
      {"W: no response from server, retrying...",
       {"W: no response from server, retrying...", "WARNING: No response from server"}},
      {"E: server seems to be offline, abandoning",
       {"ERROR: Server seems to be offline, abandoning"}},
      {"I: worker ready", {"I: (0CAF-17B3) worker ready", "I: (b'0CAF-17B3') worker ready"}},
      {"N requests/replies processed",
       {"100000 requests/replies processed", "100000 replies received",
        "1000 requests/replies processed"}},
      {"Lookup echo service: 200", {"Lookup echo service: b'200'"}},
      {"Reply: Hello world", {"I: reply: b'Hello world'"}},
      {"I: connected to backup (passive), ready as active",
       {"26-11-21 18:00:00 I: connected to backup (passive), ready as active",
        "I: connected to backup (slave), ready as master"}},
      {"[002] 0141", {"[b'sub', b'\\x01A']"}},
      {"[007] B-NNNNN", {"[007] B-91164", "[b'pub', b'B-22663']"}},
      {"Save Roger", {"b'Save Roger'"}},
      {"I: received snapshot=N", {"Received snapshot=0", "I: Received snapshot=7"}},
      {"I: sending shapshot=N", {"Sending state shapshot=4", "I: Sending state shapshot=4"}},
      {"I: publishing update=N", {"I: publishing update     4", "I: publishing update=4"}},
  };
  for (const auto& [shown, lines] : forms) {
    for (const auto& line : lines) {
      EXPECT_TRUE(is_expected(shown, line)) << line;
    }
  }
}

// Lines that the Guide's clients print after a lost request.
TEST(drills, a_smaller_count_is_not_accepted) {
  EXPECT_FALSE(is_expected("Average round trip cost: N usec", "E: name service is gone"));
  const auto lines = all_lines();
  const auto all = std::find_if(lines.begin(), lines.end(), [](const expected_line& one) {
    return one.pattern.find("100000") != std::string::npos;
  });
  ASSERT_NE(all, lines.end());
  output_lines said;
  said.add("99999 requests/replies processed\n17 replies received\n1100000 replies received\n");
  EXPECT_FALSE(said.has(*all));
}

TEST(drills, pairs_are_chosen_by_name_or_group) {
  EXPECT_EQ(chosen_pairs({}).size(), all_pairs().size());
  EXPECT_EQ(chosen_pairs({"lp"}).size(), 1U);
  EXPECT_EQ(chosen_pairs({"sp"}).size(), 2U);
  const auto two = chosen_pairs({"ppqueue/ppworker", "lp"});
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].name(), "ppqueue/ppworker");
  EXPECT_EQ(chosen_pairs({"lp", "lpserver/lpclient"}).size(), 1U);
  EXPECT_THROW(static_cast<void>(chosen_pairs({"lp", "lpq"})), std::invalid_argument);
}

TEST(drills, a_side_without_a_program_is_not_combined) {
  const auto& lazy = all_pairs().front();
  EXPECT_EQ(combinations_of(lazy.drills[0]).size(), 4U);
  EXPECT_EQ(programs_of(lazy.drills[1], side::server).size(), 0U);
  EXPECT_EQ(
      combinations_of(lazy.drills[1]),
      (std::vector<combination>{{origin::ours, origin::ours}, {origin::theirs, origin::theirs}}));
}

TEST(drills, a_drill_that_the_guides_programs_cannot_pass_is_left_out) {
  drill one{"x", {start{"a", side::server}, start{"b", side::client}}};
  one.only_if = condition{side::server, origin::ours};
  EXPECT_EQ(combinations_of(one), (std::vector<combination>{{origin::ours, origin::ours},
                                                            {origin::ours, origin::theirs}}));
}

}  // namespace
}  // namespace zinc::interop
