// A last value cache between publishers and subscribers.

#include "zmtp/pattern/last_value_cache.h"

#include "test/support/pattern_test.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/system/system_error.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

class last_value_cache_test : public pattern_test {
protected:
  using news = std::pair<std::string, bool>;

  void start(const last_value_cache_options& options = {}) {
    cache_.emplace(executor(), options, [this](std::string_view topic, bool known) {
      news_.emplace_back(topic, known);
    });
    publisher_.connect(cache_->bind_for_publishers("tcp://127.0.0.1:*").to_string());
    at_ = cache_->bind("tcp://127.0.0.1:*").to_string();
    // The cache's subscription to everything.
    EXPECT_EQ(receive_notice(), "\1");
  }
  std::string receive_notice() {
    routed_message item;
    run_until([&] { return publisher_.try_receive(item); });
    return std::string{item.content.front()};
  }
  void publish(const message& m) {
    const auto before = cache_->status().forwarded;
    put(publisher_, m);
    run_until([&] { return cache_->status().forwarded > before; });
  }
  void subscribe(sub_socket& subscriber, std::string_view topic) {
    const auto before = news_.size();
    subscriber.subscribe(topic);
    subscriber.connect(at_);
    run_until([&] { return news_.size() > before; });
  }

  xpub_socket publisher_{executor()};
  std::optional<last_value_cache> cache_;
  std::string at_;
  std::vector<news> news_;
};

TEST_F(last_value_cache_test, a_late_subscriber_gets_the_last_value) {
  start();
  publish({"A", "1"});
  publish({"A", "2"});
  publish({"B", "3"});
  sub_socket late{executor()};
  subscribe(late, "A");
  EXPECT_EQ(news_.back(), (news{"A", true}));
  EXPECT_EQ(take(late), (message{"A", "2"}));
  publish({"A", "4"});
  EXPECT_EQ(take(late), (message{"A", "4"}));
  const auto status = cache_->status();
  EXPECT_EQ(status.topics, 2U);
  EXPECT_EQ(status.forwarded, 4U);
  EXPECT_EQ(status.subscriptions, 1U);
  EXPECT_GT(status.bytes, 0U);
}

// The Guide's cache sends the value to each subscriber, also to those that have it already, and
// only on the first subscription.
TEST_F(last_value_cache_test, only_the_new_subscriber_gets_the_stored_value) {
  start();
  publish({"A", "1"});
  sub_socket first{executor()};
  sub_socket second{executor()};
  subscribe(first, "A");
  EXPECT_EQ(take(first), (message{"A", "1"}));
  subscribe(second, "A");
  EXPECT_EQ(news_.size(), 2U);
  EXPECT_EQ(take(second), (message{"A", "1"}));
  publish({"A", "2"});
  EXPECT_EQ(take(first), (message{"A", "2"}));
}

// As the Guide's, which looks a subscription up among its topics.
TEST_F(last_value_cache_test, a_subscription_is_a_topic) {
  start();
  publish({"AB", "1"});
  publish({"A", "2"});
  publish({"AA", "3"});
  sub_socket late{executor()};
  subscribe(late, "A");
  EXPECT_EQ(take(late), (message{"A", "2"}));
  // The subscriber gets new values of the other topics.
  publish({"AB", "4"});
  EXPECT_EQ(take(late), (message{"AB", "4"}));
  sub_socket of_all{executor()};
  subscribe(of_all, "");
  EXPECT_EQ(news_.back(), (news{"", false}));
  publish({"B", "5"});
  EXPECT_EQ(take(of_all), (message{"B", "5"}));
}

TEST_F(last_value_cache_test, with_prefix_matching_a_subscriber_gets_all_matching_topics) {
  start({.matching = xpub_options::matching::prefix});
  publish({"AB", "1"});
  publish({"B", "2"});
  publish({"AA", "3"});
  sub_socket late{executor()};
  subscribe(late, "A");
  EXPECT_EQ(news_.back(), (news{"A", true}));
  EXPECT_EQ(take(late), (message{"AA", "3"}));
  EXPECT_EQ(take(late), (message{"AB", "1"}));
}

TEST_F(last_value_cache_test, unknown_values_are_not_sent) {
  start();
  sub_socket early{executor()};
  subscribe(early, "A");
  EXPECT_EQ(news_.back(), (news{"A", false}));
  publish({"A", "1"});
  EXPECT_EQ(take(early), (message{"A", "1"}));
}

TEST_F(last_value_cache_test, topics_and_bytes_are_bounded) {
  start({.limit = {.topics = 2, .bytes = 10'000}, .matching = xpub_options::matching::prefix});
  for (const auto* const topic : {"A", "B", "C"}) {
    publish({topic, "x"});
  }
  EXPECT_EQ(cache_->status().topics, 2U);
  publish({"A", std::string(20'000, 'x')});
  EXPECT_EQ(cache_->status().topics, 2U);
  EXPECT_LE(cache_->status().bytes, 10'000U);
  sub_socket late{executor()};
  subscribe(late, "");
  EXPECT_EQ(take(late), (message{"B", "x"}));
  EXPECT_EQ(take(late), (message{"C", "x"}));
}

TEST_F(last_value_cache_test, subscriptions_are_not_forwarded_so_that_caches_chain) {
  start({.matching = xpub_options::matching::prefix});
  publish({"A", "1"});
  last_value_cache second{executor()};
  second.connect(at_);
  const auto at = second.bind("tcp://127.0.0.1:*").to_string();
  run_until([&] { return second.status().topics == 1; });
  sub_socket late{executor()};
  late.subscribe("A");
  late.connect(at);
  EXPECT_EQ(take(late), (message{"A", "1"}));
  publish({"A", "2"});
  EXPECT_EQ(take(late), (message{"A", "2"}));
  EXPECT_EQ(second.status().forwarded, 2U);
  EXPECT_EQ(cache_->status().subscriptions, 1U);
}

TEST_F(last_value_cache_test, a_wildcard_cannot_be_connected_to) {
  last_value_cache cache{executor()};
  EXPECT_THROW(cache.connect("tcp://*:5557"), boost::system::system_error);
}

TEST_F(last_value_cache_test, the_handler_may_destroy_it) {
  start();
  std::optional<last_value_cache> cache;
  cache.emplace(executor(), last_value_cache_options{},
                [&](std::string_view, bool) { cache.reset(); });
  sub_socket subscriber{executor()};
  subscriber.subscribe("A");
  subscriber.connect(cache->bind("tcp://127.0.0.1:*").to_string());
  run_until([&] { return !cache; });
}

TEST_F(last_value_cache_test, nothing_is_pending_after_a_stop) {
  start();
  publish({"A", "1"});
  cache_->stop();
  publisher_.close();
  run_to_the_end();
}

}  // namespace
}  // namespace zmtp::test
