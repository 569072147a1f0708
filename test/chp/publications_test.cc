#include "chp/publications.h"

#include "chp/properties.h"
#include "chp/subtree.h"
#include "test/chp/update_ids.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

using test::some_id;

std::vector<zmtp::message> add(publications& to, const log_entry& e, bool changed = true) {
  zmtp::message_batch added;
  to.add(e, changed, added);
  std::vector<zmtp::message> out;
  for (const auto m : added) {
    out.push_back(m.to_message());
  }
  return out;
}
update parsed_of(const zmtp::message& m, form how = form::kvmsg) {
  return std::get<update>(parse_publication(m, how, {}).value());
}

TEST(chp_publications, are_kvpubs_with_the_clients_properties_and_counts) {
  publications all{form::kvmsg, 1, 100};
  all.begin(8);
  const auto out =
      add(all, {.number = 9, .id = some_id, .key = "/a/b", .properties = "x=y\n", .value = "v"});
  ASSERT_EQ(out.size(), 1U);
  const auto u = parsed_of(out[0]);
  EXPECT_EQ(u.key, "/a/b");
  EXPECT_EQ(u.number, 9U);
  EXPECT_EQ(u.id, some_id.bytes());
  EXPECT_EQ(u.properties, "d=/:1,/a/:1\nx=y\n");
  EXPECT_EQ(u.value, "v");
  EXPECT_EQ(all.counts().of("/a/"), 1U);
}

TEST(chp_publications, name_the_one_before_if_numbers_were_left_out) {
  publications all{form::kvmsg, 1, 100};
  all.begin(4);
  EXPECT_TRUE(add(all, {.number = 5, .kind = entry_kind::refusal, .id = some_id}, false).empty());
  const auto first = add(all, {.number = 6, .id = some_id, .key = "k", .value = "v"});
  EXPECT_EQ(properties{parsed_of(first[0]).properties}.find("prev"), "4");
  const auto second = add(all, {.number = 7, .id = some_id, .key = "k", .value = "v"});
  EXPECT_EQ(parsed_of(second[0]).properties, "");
}

TEST(chp_publications, do_not_let_a_writer_hide_a_gap) {
  publications all{form::kvmsg, 1, 100};
  all.begin(4);
  const auto first = add(all, {.number = 5,
                               .id = some_id,
                               .key = "/a/b",
                               .properties = "prev=0\nd=/:7,/a/:7",
                               .value = "v"});
  const properties read{parsed_of(first[0]).properties};
  EXPECT_EQ(read.find("prev"), "4");
  EXPECT_EQ(find_directory_count(parsed_of(first[0]).properties, "/a/"), 1U);
}

// Otherwise no client of Zinc would take the update.
TEST(chp_publications, can_be_read_with_the_longest_properties_and_the_most_directories) {
  publications all{form::kvmsg, 1, 1'000};
  all.begin(4);
  const std::string key(max_key_size, '/');
  const std::string longest(max_properties_size, 'p');
  const auto out =
      add(all, {.number = 9, .id = some_id, .key = key, .properties = longest, .value = "v"});
  EXPECT_TRUE(parsed_of(out.at(0)).properties.ends_with(longest));
  EXPECT_EQ(find_directory_count(parsed_of(out.at(0)).properties, "/"), 1U);
}

TEST(chp_publications, are_not_counted_if_they_are_of_an_earlier_reign) {
  publications all{form::kvmsg, 1, 100};
  all.begin(8);
  zmtp::message_batch out;
  all.add_missed({.number = 5, .key = "/a/b", .properties = "x=y\n", .value = "v"}, out);
  EXPECT_EQ(parsed_of((*out.begin()).to_message()).properties, "x=y\n");
  EXPECT_EQ(parsed_of((*out.begin()).to_message()).id.size(), 16U);
  EXPECT_EQ(all.counts().of("/a/"), 0U);
  EXPECT_EQ(parsed_of(add(all, {.number = 9, .key = "/a/b", .value = "v"}).at(0)).properties,
            "d=/:1,/a/:1\n");
}

TEST(chp_publications, get_different_ids_if_updates_have_none) {
  publications all{form::kvmsg, 1, 100};
  const auto first = add(all, {.number = 1, .key = "k", .value = "v"});
  const auto second =
      add(all, {.number = 2, .kind = entry_kind::expiry, .argument = 1, .key = "k"});
  EXPECT_EQ(parsed_of(first[0]).id.size(), 16U);
  EXPECT_NE(parsed_of(first[0]).id, parsed_of(second[0]).id);
  EXPECT_TRUE(parsed_of(second[0]).erases());
}

TEST(chp_publications, have_three_frames_in_kvsimple) {
  publications all{form::kvsimple_8, 1, 100};
  const auto out = add(all, {.number = 1, .key = "/a/b", .value = "v"});
  EXPECT_EQ(out[0].size(), 3U);
  EXPECT_EQ(parsed_of(out[0], form::kvsimple_8).value, "v");
}

}  // namespace
}  // namespace chp
