// The last message of each topic: which it is, and that limits hold.

#include "zmtp/routing/last_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using texts = std::vector<std::string>;
using matching = xpub_options::matching;

// "topic=second part", of those that begin so.
texts kept(const last_values& values, std::string_view wanted = {},
           matching how = matching::prefix) {
  texts all;
  EXPECT_TRUE(values.visit(wanted, how, wanted, [&](const message& m) {
    all.push_back(std::string{m.front()} + "=" + std::string{m.back()});
    return true;
  }));
  return all;
}

TEST(last_values, the_last_value_of_each_topic_is_stored) {
  last_values values{{}};
  values.keep({"B", "1"});
  values.keep({"A", "2"});
  values.keep({"B", "3"});
  EXPECT_EQ(kept(values), (texts{"A=2", "B=3"}));
}

TEST(last_values, all_topics_with_a_prefix_are_found_and_no_others) {
  last_values values{{}};
  for (const auto* topic : {"", "A", "AB", "ABC", "AC", "B", "\xff"}) {
    values.keep({topic, "x"});
  }
  EXPECT_EQ(kept(values, "AB"), (texts{"AB=x", "ABC=x"}));
  EXPECT_EQ(kept(values, "AB", matching::topic), texts{"AB=x"});
  EXPECT_EQ(kept(values, "", matching::topic), texts{"=x"});
  EXPECT_EQ(kept(values, "ABCD", matching::topic), texts{});
  EXPECT_EQ(kept(values, "C"), texts{});
  EXPECT_EQ(kept(values, "\xff"), texts{"\xff=x"});
  EXPECT_EQ(kept(values).size(), 7U);
}

TEST(last_values, a_visit_can_be_stopped_and_resumed) {
  last_values values{{}};
  for (const auto* topic : {"A", "AA", "AB", "B"}) {
    values.keep({topic, "x"});
  }
  std::string stopped_at;
  EXPECT_FALSE(values.visit("A", matching::prefix, "A", [&](const message& m) {
    stopped_at = m.front();
    return m.front() != "AA";
  }));
  EXPECT_EQ(stopped_at, "AA");
  texts rest;
  EXPECT_TRUE(values.visit("A", matching::prefix, stopped_at, [&](const message& m) {
    rest.emplace_back(m.front());
    return true;
  }));
  EXPECT_EQ(rest, (texts{"AA", "AB"}));
}

TEST(last_values, the_topic_unchanged_for_the_longest_time_is_evicted) {
  last_values values{{.topics = 2}};
  values.keep({"A", "1"});
  values.keep({"B", "1"});
  values.keep({"A", "2"});
  values.keep({"C", "1"});
  EXPECT_EQ(kept(values), (texts{"A=2", "C=1"}));
}

TEST(last_values, a_value_that_is_too_large_erases_the_stored_one) {
  last_values values{{.topics = 10, .bytes = 10'000}};
  values.keep({"A", "small"});
  values.keep({"A", std::string(20'000, 'x')});
  EXPECT_EQ(kept(values), texts{});
  EXPECT_EQ(values.bytes(), 0U);
}

TEST(last_values, a_small_part_of_a_large_block_does_not_pin_it) {
  last_values values{{}};
  block_ptr buffer{block::create(block_size::large)};
  const std::string bytes = '\0' + std::string(1, static_cast<char>(200)) + std::string(200, 'x');
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(buffer->data()));
  values.keep(message{buffer, {buffer->data(), bytes.size()}, 1});
  EXPECT_TRUE(buffer->unique());
}

TEST(last_values, random_use_equals_a_plain_list) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random{seed};
    const auto most = 1 + random() % 20;
    last_values values{{.topics = most, .bytes = 1'000'000}};
    std::list<std::pair<std::string, std::string>> model;  // the one that has rested longest first
    for (int n = 0; n < 500; ++n) {
      std::string topic;
      for (auto size = random() % 4; size > 0; --size) {
        topic += "ab"[random() % 2];
      }
      const auto content = std::to_string(n) + std::string(random() % 3 * 100, 'x');
      values.keep({topic, content});
      std::erase_if(model, [&](const auto& each) { return each.first == topic; });
      model.emplace_back(topic, content);
      if (model.size() > most) {
        model.pop_front();
      }
      const auto prefix = topic.substr(0, random() % 3);
      texts expected;
      for (const auto& [known, last] : model) {
        if (known.starts_with(prefix)) {
          expected.push_back(known + "=" + last);
        }
      }
      std::sort(expected.begin(), expected.end());
      auto found = kept(values, prefix);
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected) << "seed " << seed;
      ASSERT_EQ(values.topics(), model.size());
    }
  }
}

}  // namespace
}  // namespace zmtp
