// The manual page of a command.
#include "tools/zinc/man_page.h"

#include "tools/zinc/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace zinc {
namespace {

using testing::HasSubstr;

class page_of : public testing::Test {
protected:
  page_of() {
    set_help_style(app_);
    set_help(app_, {.summary = "Sockets.", .examples = {"zinc get x"}, .done = "d", .failed = "f"});
    get_ = add_command(app_, "get",
                       {.summary = "Gets a key.",
                        .details = "From a map.\n.dot begins a line with a \\ in it",
                        .examples = {"zinc get --from x"},
                        .done = "found",
                        .failed = "not found"});
    get_->add_option("KEY", text_, "the key")->required();
    get_->add_option("--from", text_, "where it is")->type_name("PLACE");
    get_->add_option_group("Security", "Security")->add_flag("--safe", flag_, "be safe");
  }

  CLI::App app_{"", "zinc"};
  CLI::App* get_ = nullptr;
  std::string text_;
  bool flag_ = false;
};

TEST_F(page_of, a_command_has_its_name_and_what_it_does) {
  const auto page = man_page(*get_);
  EXPECT_TRUE(page.starts_with(".TH ZINC\\-GET 1 "));
  EXPECT_THAT(page, HasSubstr(".SH NAME\nzinc\\-get \\- Gets a key.\n"));
  EXPECT_THAT(page, HasSubstr(".SH SYNOPSIS\nzinc get [OPTIONS] KEY\n"));
  EXPECT_THAT(page, HasSubstr(".SH \"SEE ALSO\"\n\\fBzinc\\fR(1)\n"));
}

TEST_F(page_of, a_command_has_its_options_with_those_of_its_groups) {
  const auto page = man_page(*get_);
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBKEY\\fR\nthe key\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-from\\fR \\fIPLACE\\fR\nwhere it is\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"));
  EXPECT_THAT(page, HasSubstr(".SS \"Security\"\n.TP\n\\fB\\-\\-safe\\fR\nbe safe\n"));
}

TEST_F(page_of, a_text_is_never_taken_for_a_request) {
  EXPECT_THAT(man_page(*get_), HasSubstr("\n\\&.dot begins a line with a \\e in it\n"));
}

TEST_F(page_of, a_command_has_its_examples_and_exit_codes) {
  const auto page = man_page(*get_);
  EXPECT_THAT(page, HasSubstr(".SH \"EXAMPLES\"\nzinc get \\-\\-from x\n.br\n"));
  EXPECT_THAT(page, HasSubstr(".SH \"EXIT CODES\"\n"));
}

TEST_F(page_of, the_program_lists_its_subcommands) {
  const auto page = man_page(app_);
  EXPECT_THAT(page, HasSubstr(".SH SUBCOMMANDS\n.TP\n\\fBzinc\\-get\\fR(1)\nGets a key.\n"));
  EXPECT_EQ(page.find("SEE ALSO"), std::string::npos);
}

}  // namespace
}  // namespace zinc
