// The words that zinc completion offers.
#include "tools/zinc/completion.h"

#include "tools/zinc/help.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zinc {
namespace {

using words = std::vector<std::string>;

command_help saying(const std::string& summary) {
  return {.summary = summary, .details = {}, .examples = {}, .done = "d", .failed = "f"};
}

class completion_of : public testing::Test {
protected:
  completion_of() {
    set_help_style(app_);
    auto& server = *add_command(app_, "server", saying("Serves."));
    server.add_option("--store", text_, "file of the map")->type_name("FILE");
    server.add_option("--lost", text_, "folder")->type_name("DIR");
    server.add_option("--require", text_, "how many")->type_name("one|both");
    server.add_option("--mdp", text_, "protocol")->type_name("0.1|0.2");
    server.add_option("--bind", text_, "endpoint to bind")->type_name("ENDPOINT");
    server.add_flag("--quiet", flag_, "say nothing");
    auto& map = *add_command(app_, "map", saying("Reads a map."));
    add_command(map, "get", saying("Gets a key."))->add_option("FILE", text_, "file of keys");
    add_command(map, "set", saying("Sets a key."))->add_option("KEY", text_, "the key");
    auto& group = *server.add_option_group("Security");
    group.add_option("--key", text_, "key")->type_name("KEY|FILE");
  }

  completion_kind kind_after(const words& all) { return complete(app_, all).kind; }
  words after(const words& all) {
    words offered;
    for (const auto& one : complete(app_, all).offers) {
      offered.push_back(one.word);
    }
    return offered;
  }

  CLI::App app_{"", "zinc"};
  std::string text_;
  bool flag_ = false;
};

TEST_F(completion_of, a_command_line_that_begins_offers_the_subcommands) {
  EXPECT_EQ(after({}), (words{"server", "map"}));
  EXPECT_EQ(after({""}), (words{"server", "map"}));
  EXPECT_EQ(after({"se"}), (words{"server"}));
  EXPECT_EQ(after({"x"}), (words{}));
  EXPECT_EQ(complete(app_, words{"m"}).offers.front().text, "Reads a map.");
}

TEST_F(completion_of, a_subcommand_offers_its_own) {
  EXPECT_EQ(after({"map", ""}), (words{"get", "set"}));
  EXPECT_EQ(after({"map", "s"}), (words{"set"}));
}

TEST_F(completion_of, a_dash_offers_the_options_of_the_subcommand_and_of_its_groups) {
  EXPECT_EQ(after({"server", "--"}), (words{"--store", "--lost", "--require", "--mdp", "--bind",
                                            "--quiet", "--key", "--help"}));
  EXPECT_EQ(after({"server", "--b"}), (words{"--bind"}));
  EXPECT_EQ(after({"--"}), (words{"--help"}));
}

TEST_F(completion_of, an_option_offers_its_values) {
  EXPECT_EQ(after({"server", "--require", ""}), (words{"one", "both"}));
  EXPECT_EQ(after({"server", "--require", "b"}), (words{"both"}));
  EXPECT_EQ(after({"server", "--mdp", ""}), (words{"0.1", "0.2"}));
  EXPECT_EQ(after({"server", "--bind", ""}), (words{}));
}

TEST_F(completion_of, a_value_that_is_a_file_is_left_to_the_shell) {
  EXPECT_EQ(kind_after({"server", "--store", ""}), completion_kind::files);
  EXPECT_EQ(kind_after({"server", "--lost", "/t"}), completion_kind::folders);
  EXPECT_EQ(kind_after({"server", "--key", ""}), completion_kind::files);
  EXPECT_EQ(kind_after({"map", "get", ""}), completion_kind::files);
  EXPECT_EQ(kind_after({"map", "set", ""}), completion_kind::words);
}

TEST_F(completion_of, a_word_after_an_option_is_its_value_and_no_subcommand) {
  EXPECT_EQ(after({"server", "--bind", "map", "--q"}), (words{"--quiet"}));
  EXPECT_EQ(after({"server", "--quiet", "--b"}), (words{"--bind"}));
}

}  // namespace
}  // namespace zinc
