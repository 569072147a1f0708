#include "test/zmtp/simulation/publication_check.h"

#include <gtest/gtest.h>

namespace zmtp::simulation {
namespace {

using writing = publication_check::writing;

constexpr lane peer = 1;
constexpr peer_id first{1, 1};
constexpr peer_id second{2, 1};

TEST(publication_check, expects_subscribed_messages_in_order) {
  publication_check check{{}};
  check.on_subscription(peer, true, "a");
  check.on_published(1, "ab");
  check.on_published(2, "b");
  check.on_published(3, "a");
  EXPECT_EQ(check.on_written(peer, 2, "b"), writing::not_owed);
  EXPECT_EQ(check.on_written(peer, 3, "a"), writing::owed);
  EXPECT_EQ(check.missed(), 1U);
  EXPECT_EQ(check.on_written(peer, 1, "ab"), writing::not_owed);
  EXPECT_EQ(check.owed(), 2U);
}

TEST(publication_check, expects_every_message_on_all_open_pipes) {
  publication_check check{{.to_all = true}};
  check.on_opened(peer, true);
  check.on_detached(peer);
  check.on_published(1, "");
  EXPECT_EQ(check.on_written(peer, 1, ""), writing::owed);
  check.on_closed(peer);
  check.on_published(2, "");
  EXPECT_EQ(check.on_written(peer, 2, ""), writing::not_owed);
}

TEST(publication_check, expects_granted_topics_in_manual_mode) {
  publication_check check{{.manual = true}};
  check.on_subscription(peer, true, "a");
  check.on_published(1, "a");
  EXPECT_EQ(check.on_written(peer, 1, "a"), writing::not_owed);
  EXPECT_FALSE(check.knows_all());
  EXPECT_TRUE(check.on_told(peer, first, true, "a"));
  EXPECT_TRUE(check.knows_all());
  EXPECT_FALSE(check.on_told(peer, first, true, "a"));
  EXPECT_TRUE(check.on_told(peer, second, true, "a"));
  EXPECT_TRUE(check.on_told(peer, first, false, "a"));
  EXPECT_FALSE(check.on_told(peer, first, false, "a"));
  EXPECT_TRUE(check.knows_all());
  EXPECT_TRUE(check.on_told(peer, second, false, "a"));
  EXPECT_FALSE(check.knows_all());
  check.on_given(peer, true, "b");
  check.on_published(2, "b");
  EXPECT_EQ(check.on_written(peer, 2, "b"), writing::owed);
}

TEST(publication_check, expects_last_values_for_a_peer_that_begins_to_want_them) {
  publication_check check{{.last_values = 10}};
  check.on_published(1, "a");
  check.on_published(2, "b");
  check.on_published(3, "a");
  check.on_subscription(peer, true, "a");
  EXPECT_FALSE(check.all_caught_up());
  EXPECT_EQ(check.on_written(peer, 1, "a"), writing::not_owed) << "outdated";
  EXPECT_EQ(check.on_written(peer, 2, "b"), writing::not_owed);
  EXPECT_EQ(check.on_written(peer, 3, "a"), writing::again);
  EXPECT_TRUE(check.all_caught_up());
  EXPECT_EQ(check.on_written(peer, 3, "a"), writing::not_owed) << "a second time";
  check.on_subscription(peer, false, "a");
  check.on_subscription(peer, true, "a");
  EXPECT_FALSE(check.all_caught_up());
  EXPECT_EQ(check.on_written(peer, 3, "a"), writing::again);
}

TEST(publication_check, accepts_a_newer_value_but_no_older_one_after_it) {
  publication_check check{{.last_values = 10}};
  check.on_published(1, "a");
  check.on_subscription(peer, true, "");
  check.on_published(2, "a");
  EXPECT_EQ(check.on_written(peer, 2, "a"), writing::owed);
  EXPECT_TRUE(check.all_caught_up());
  EXPECT_EQ(check.on_written(peer, 1, "a"), writing::stale);
}

TEST(publication_check, expects_no_value_that_was_evicted) {
  publication_check check{{.last_values = 1}};
  check.on_published(1, "a");
  check.on_published(2, "b");
  check.on_subscription(peer, true, "");
  EXPECT_EQ(check.on_written(peer, 1, "a"), writing::not_owed);
  check.on_published(3, "c");
  EXPECT_TRUE(check.all_caught_up()) << "no socket can send a value that was evicted";
  EXPECT_EQ(check.values().size(), 1U);
}

}  // namespace
}  // namespace zmtp::simulation
