#include "tools/zinc/config_file.h"

#include "tools/zinc/config_lines.h"
#include "tools/zinc/option_values.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace zinc {
namespace {

using namespace std::chrono_literals;
using word_list = std::vector<std::string>;

// A command with an option of each kind, and a file.
class config_file : public testing::Test {
protected:
  config_file() {
    add_config(app_, source_);
    add_duration(app_, "--heartbeat", heartbeat_, "time");
    app_.add_option("--bind", bind_, "endpoint")->check(bindable())->allow_extra_args(false);
    app_.add_option("--side", side_, "words")->expected(1, 64);
    app_.add_option("--store", store_, "file")->required();
    auto* const group = app_.add_option_group("security", "Security");
    group->add_flag("--open", open_, "let everyone in");
    group->add_option("--key", key_, "key")->needs("--open");
  }
  ~config_file() override { std::remove(path_.c_str()); }

  void write(const std::string& text) { std::ofstream{path_, std::ios::binary} << text; }
  void parse(const std::string& more = "") { app_.parse("--config " + path_ + ' ' + more); }

  std::string fault_in(const std::string& text) {
    write(text);
    try {
      parse();
    } catch (const config_fault& fault) {
      return fault.what();
    }
    return "none";
  }

  std::string path_ = testing::TempDir() + "zinc_config_file_test.conf";
  CLI::App app_{"", "zinc"};
  config_source source_;
  std::chrono::milliseconds heartbeat_ = 5s;
  word_list bind_{"tcp://*:1"};
  word_list side_;
  std::string store_;
  bool open_ = false;
  std::string key_;
};

TEST_F(config_file, sets_options_of_every_kind) {
  write(
      "heartbeat = 1s\nbind = tcp://*:5\nside = pull tcp://*:6\tipc://@a\nstore = /a b\n"
      "bind = tcp://*:7\nopen = true\nkey = a#b\n");
  parse();
  EXPECT_EQ(heartbeat_, 1s);
  EXPECT_EQ(bind_, (word_list{"tcp://*:5", "tcp://*:7"}));
  EXPECT_EQ(side_, (word_list{"pull", "tcp://*:6", "ipc://@a"}));
  EXPECT_EQ(store_, "/a b");
  EXPECT_TRUE(open_);
  EXPECT_EQ(key_, "a#b");
  EXPECT_EQ(source_.lines.at("bind"), (std::vector<std::size_t>{2, 5}));
  EXPECT_EQ(with_place("--bind: is bad", source_), path_ + ": --bind: is bad");
  EXPECT_EQ(words_of(app_).at("bind"), (word_list{"tcp://*:5", "tcp://*:7"}));
}

TEST_F(config_file, the_command_line_overrides_options_by_name) {
  write("heartbeat = 1s\nbind = tcp://*:5\nbind = tcp://*:7\nstore = /a\nopen = true\n");
  parse("--bind tcp://*:9 --store /b");
  EXPECT_EQ(bind_, word_list{"tcp://*:9"});
  EXPECT_EQ(store_, "/b");
  EXPECT_EQ(heartbeat_, 1s);
  EXPECT_FALSE(source_.lines.contains("bind"));
}

TEST_F(config_file, a_switch_can_be_off) {
  write("open = false\nstore = /a\n");
  parse();
  EXPECT_FALSE(open_);
  EXPECT_FALSE(words_of(app_).contains("open"));
}

TEST_F(config_file, every_fault_has_its_line_its_name_and_a_remedy) {
  const auto at = [&](const std::string& line) { return path_ + ':' + line; };
  EXPECT_EQ(fault_in("store = /a\nhartbeat = 1s\n"),
            at("2: hartbeat: unknown name; did you mean 'heartbeat'?"));
  EXPECT_EQ(fault_in("zzzzzzzzzzzz = 1\n"),
            at("1: zzzzzzzzzzzz: unknown name; give one of bind, heartbeat, key, open, side, "
               "store"));
  EXPECT_EQ(fault_in("config = /a\n").substr(0, at("1: config: unknown name").size()),
            at("1: config: unknown name"));
  EXPECT_NE(fault_in("help = true\n").find("unknown name"), std::string::npos);
  EXPECT_NE(fault_in("check-config = true\n").find("unknown name"), std::string::npos);
  EXPECT_EQ(fault_in("\nheartbeat = 5\n"), at("2: heartbeat: '5' needs a unit: 250ms, 5s, 1m"));
  EXPECT_EQ(fault_in("bind = tcp://*:5\nbind = nowhere\n"),
            at("2: bind: 'nowhere' is not an endpoint; give for example tcp://*:5555"));
  EXPECT_EQ(fault_in("heartbeat = 1s\n\nheartbeat = 2s\n"),
            at("3: heartbeat: is in line 1 too; remove one of both"));
  EXPECT_EQ(fault_in("open = false\nopen = true\n"),
            at("2: open: is in line 1 too; remove one of both"));
  EXPECT_EQ(fault_in("open = yes\n"), at("1: open: 'yes' is not valid; give true or false"));
}

TEST_F(config_file, all_faults_are_told_at_once_in_their_order) {
  EXPECT_EQ(fault_in("heartbeat = 5\nstore\nopen = 1\n"),
            path_ + ":1: heartbeat: '5' needs a unit: 250ms, 5s, 1m\n" + path_ +
                ":2: store: 'store' is not a setting; write NAME = VALUE, such as heartbeat = "
                "2.5s\n" +
                path_ + ":3: open: '1' is not valid; give true or false");
}

TEST_F(config_file, a_line_that_the_command_line_overrides_is_checked_too) {
  write("heartbeat = 5\nstore = /a\n");
  EXPECT_THROW(parse("--heartbeat 1s"), config_fault);
}

TEST_F(config_file, options_are_checked_together_and_faults_have_their_place) {
  write("\nkey = k\nstore = /a\n");
  try {
    parse();
    ADD_FAILURE();
  } catch (const CLI::ParseError& e) {
    EXPECT_EQ(with_place(e.what(), source_), path_ + ":2: --key requires --open");
  }
  EXPECT_EQ(with_place("--store: is bad", source_), path_ + ":3: --store: is bad");
  EXPECT_EQ(with_place("--bind: is bad", source_), "--bind: is bad");
  EXPECT_EQ(with_place("store is bad", source_), "store is bad");
}

TEST_F(config_file, a_required_option_may_be_missing_in_both) {
  write("");
  EXPECT_THROW(parse(), CLI::RequiredError);
}

TEST_F(config_file, a_file_that_cannot_be_read_is_a_fault_of_the_option) {
  for (const auto& [path, fault] :
       {std::pair{std::string{"/nowhere/a.conf"}, "cannot read /nowhere/a.conf: No such file"},
        {testing::TempDir(), "Is a directory"},
        {std::string{"/dev/zero"}, "/dev/zero: it is a device or a pipe, not a file;"}}) {
    try {
      app_.parse("--config " + path);
      ADD_FAILURE() << path;
    } catch (const CLI::ParseError& e) {
      EXPECT_NE(std::string_view{e.what()}.find(fault), std::string_view::npos) << e.what();
      EXPECT_TRUE(std::string_view{e.what()}.starts_with("--config: ")) << e.what();
    }
  }
}

TEST(config_changes, are_told_apart_by_what_can_change) {
  const option_words before{
      {"bind", {"a"}}, {"drain", {"1s"}}, {"rules", {"r"}}, {"open", {"true"}}};
  const option_words now{{"bind", {"a", "b"}}, {"drain", {"1s"}}, {"service", {"x"}}};
  const auto changes = changes_between(before, now, {"drain", "rules", "service"});
  EXPECT_EQ(changes.live, word_list{"service"});
  EXPECT_EQ(changes.frozen, (word_list{"bind", "open", "rules"}));
  EXPECT_TRUE(changes_between(now, now, {}).frozen.empty());
}

TEST(config_changes, rules_change_but_do_not_come_or_go) {
  const option_words one{{"rules", {"a"}}};
  const option_words other{{"rules", {"b"}}};
  EXPECT_EQ(changes_between(one, other, {"rules"}).live, word_list{"rules"});
  EXPECT_EQ(changes_between(one, {}, {"rules"}).frozen, word_list{"rules"});
  EXPECT_EQ(changes_between({}, one, {"rules"}).frozen, word_list{"rules"});
}

TEST_F(config_file, the_content_of_files_of_the_start_is_told_apart) {
  const option_words words{{"curve-secret-file", {path_}}, {"bind", {path_}}};
  write("a");
  const auto before = contents_of(words);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(contents_of(words), before);
  write("b");
  EXPECT_NE(contents_of(words).at("curve-secret-file"), before.at("curve-secret-file"));
  // A folder is read again when it changes.
  EXPECT_TRUE(contents_of({{"authorized-keys", {testing::TempDir()}}}).empty());
}

}  // namespace
}  // namespace zinc
