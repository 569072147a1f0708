// A server that is active again publishes the entries of its peer's reign for subscribers that stayed.

#include "test/chp/update_log_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

using namespace test;

// "key=value" of each publication, "key" of an erasure. Numbers must rise.
std::vector<std::string> publications_of(const log_actions& out) {
  std::vector<std::string> all;
  sequence last = 0;
  for (const auto m : out.publish) {
    const auto u = published(m);
    EXPECT_GT(u.number, last);
    last = u.number;
    all.push_back(std::string{u.key} + (u.erases() ? "" : "=" + std::string{u.value}));
  }
  return all;
}

using texts = std::vector<std::string>;

// The two servers exchange their roles.
void exchange_roles(server& active, server& passive, std::uint64_t epoch,
                    update_log::time_point now = time_zero) {
  active.log.become_passive(now, active.out);
  (void)active.turn(now);
  passive.log.on_peer_lost(passive.out);
  passive.log.become_active(epoch, now, passive.out);
}

class missed : public testing::Test {
protected:
  missed() {
    a.log.become_active(1, time_zero, a.out);
    connect(a, b);
    a.set("k", "1");
    a.set("gone", "1");
    a.set("kept", "1");
    talk(a, b);
  }
  void b_serves() {
    exchange_roles(a, b, 2);
    connect(b, a);
    b.set("k", "2");
    b.set("gone", "");
    b.set("came and went", "1");
    b.set("k", "3", {}, "ttl=60\n");
    b.set("came and went", "");
    talk(b, a);
  }
  [[nodiscard]] texts published_by_a(update_log::time_point now = time_zero) {
    return publications_of(a.turn(now));
  }

  server a{paired(), 1};
  server b{paired(), 2};
};

TEST_F(missed, is_the_last_update_of_each_key_before_new_ones) {
  b_serves();
  const auto all = b.log.state().end();
  exchange_roles(b, a, 3);
  a.set("new", "1");
  const auto out = a.turn();
  EXPECT_EQ(publications_of(out), (texts{"gone", "k=3", "came and went", "new=1"}));
  std::vector<std::string> texts_of_properties;
  for (const auto m : out.publish) {
    texts_of_properties.emplace_back(published(m).properties);
  }
  EXPECT_EQ(texts_of_properties.at(1), "ttl=60\n");
  EXPECT_EQ(texts_of_properties.at(3), "prev=" + std::to_string(all) + "\n")
      << "for clients with a snapshot of this reign";
}

TEST_F(missed, is_what_a_server_had_not_published_when_it_became_passive) {
  a.set("late", "1");
  a.log.end_turn(time_zero, a.out);  // the backup does not confirm
  EXPECT_TRUE(a.out.publish.empty());
  a.log.become_passive(time_zero, a.out);
  (void)a.turn();
  a.log.become_active(2, time_zero, a.out);
  EXPECT_EQ(published_by_a(), texts{"late=1"});
}

TEST_F(missed, is_published_in_parts_which_go_on_after_an_interruption) {
  exchange_roles(a, b, 2);
  connect(b, a);
  constexpr auto entries = 2 * published_at_once;
  for (std::size_t n = 1; n != entries; ++n) {  // the first entry is the reign
    b.set(std::to_string(n), "v");
  }
  talk(b, a);
  exchange_roles(b, a, 3);
  a.set("new", "1");
  EXPECT_EQ(published_by_a().size(), published_at_once - 1);
  EXPECT_EQ(a.log.next_deadline(), time_zero);
  EXPECT_EQ(a.log.state().past().map().find("new"), nullptr) << "it comes behind";
  a.log.become_passive(time_zero, a.out);
  (void)a.turn();
  a.log.become_active(4, time_zero, a.out);
  EXPECT_EQ(published_by_a().size(), published_at_once) << "the rest of b's";
  EXPECT_EQ(published_by_a(), texts{"new=1"});
  EXPECT_NE(a.log.next_deadline(), time_zero);
}

TEST_F(missed, does_not_keep_a_backup_waiting) {
  exchange_roles(a, b, 2);
  connect(b, a);
  for (std::size_t n = 1; n != 2 * published_at_once; ++n) {
    b.set(std::to_string(n), "v");
  }
  talk(b, a);
  exchange_roles(b, a, 3);
  b.log.on_peer_connected(b.out);
  for (const auto& m : b.turn().to_peer) {
    a.log.on_peer_message(m, time_zero, a.out);
  }
  const auto out = a.turn();
  EXPECT_FALSE(out.publish.empty());
  EXPECT_EQ(a.log.next_deadline(), time_zero) << "there is more to publish";
  EXPECT_GT(out.to_peer.size(), 1U) << "FOLLOW, and the entry of the reign";
}

TEST_F(missed, is_published_after_half_a_minute) {
  b_serves();
  exchange_roles(b, a, 3, time_zero + 30s);
  EXPECT_EQ(published_by_a(time_zero + 30s), (texts{"gone", "k=3", "came and went"}));
}

TEST_F(missed, is_not_published_when_no_subscriber_can_have_stayed) {
  b_serves();
  exchange_roles(b, a, 3, time_zero + 31s);
  EXPECT_EQ(published_by_a(time_zero + 31s), texts{});
}

TEST_F(missed, is_unknown_in_a_log_that_was_cut) {
  a.log.on_peer_lost(a.out);
  a.set("alone", "1");
  EXPECT_EQ(published_by_a(), texts{"alone=1"});
  b_serves();
  ASSERT_EQ(a.map().count("alone"), 0U);
  exchange_roles(b, a, 3);
  EXPECT_EQ(published_by_a(), texts{});
}

TEST(missed_entries, that_are_trimmed_are_unknown) {
  auto small = paired();
  small.state.history.log = {.bytes = 4'000, .entries = 40, .segment = 400};
  server a{small, 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  a.set("k", "1");
  talk(a, b);
  exchange_roles(a, b, 2);
  connect(b, a);
  for (int n = 0; n != 100; ++n) {
    b.set("k", std::to_string(n));
    talk(b, a);
  }
  ASSERT_GT(a.log.state().past().log().start(), make_sequence(2, 1));
  exchange_roles(b, a, 3);
  EXPECT_TRUE(a.turn().publish.empty());
}

TEST(missed_entries, are_not_trimmed_before_they_are_published) {
  auto small = paired();
  small.state.history.log.entries = 4 * published_at_once;
  small.state.history.log.segment = 1'000;
  server a{small, 1};
  server b{small, 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  exchange_roles(a, b, 2);
  connect(b, a);
  constexpr auto by_b = 2 * published_at_once - 100;
  for (std::size_t n = 0; n != by_b; ++n) {
    b.set(std::to_string(n), "v");
  }
  talk(b, a);
  exchange_roles(b, a, 3);
  constexpr auto by_a = 2 * published_at_once;  // the log is more than half full
  for (std::size_t n = 0; n != by_a; ++n) {
    a.set("new", "v");
  }
  std::size_t published = 0;
  for (int turn = 0; turn != 5; ++turn) {
    published += a.turn().publish.size();
  }
  EXPECT_EQ(published, by_b + by_a);
}

// A passive server of the Guide would keep these, and make them later over newer ones.
TEST(missed_entries, are_not_published_if_they_are_of_a_server_of_the_guide) {
  for (const bool has_published : {true, false}) {
    server a{paired(), 1};
    a.log.become_active(1, time_zero, a.out);
    if (has_published) {
      a.set("k", "1");
      EXPECT_EQ(a.turn().publish.size(), 1U);
    }
    a.log.become_passive(time_zero, a.out);
    const auto number = has_published ? a.log.state().end() : 0;
    ASSERT_EQ(a.log.adopt("", number, time_zero), errc{});
    ASSERT_TRUE(a.log.append({.number = number + 1, .key = "k", .value = "4"}, time_zero));
    (void)a.turn();
    a.log.become_active(2, time_zero, a.out);
    EXPECT_TRUE(a.turn().publish.empty()) << has_published;
  }
}

TEST_F(missed, is_nothing_for_a_server_that_was_never_active) {
  exchange_roles(a, b, 2);
  EXPECT_EQ(publications_of(b.turn()), texts{});
}

}  // namespace
}  // namespace chp
