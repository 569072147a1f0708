// A subscriber of several threads: every message once, in the order of its topic, and nothing dropped by it.

#include "zmtp/pattern/sharded_subscriber.h"

#include "test/support/pattern_test.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace zmtp::test {
namespace {

class sharded_subscriber_test : public pattern_test {
protected:
  static socket_options waiting_for_all() {
    auto options = with_marks(100);
    options.no_drop = true;
    return options;
  }
  sharded_subscriber_handlers handlers() {
    return {.on_messages = [this](std::size_t shard,
                                  const message_batch& batch) { take(shard, batch); },
            .on_end = [this](error_code why) { tell_end(why); }};
  }
  void start(const sharded_subscriber_options& options) {
    box_.emplace(options, handlers());
    box_->subscribe("");
    box_->connect(publisher_.bind("tcp://127.0.0.1:*").to_string());
    std::optional<error_code> there;
    publisher_.async_wait_subscribers("", 1, [&](error_code ec) { there = ec; });
    run_until([&] { return there.has_value(); });
  }
  // In the thread of a shard.
  void take(std::size_t shard, const message_batch& batch) {
    std::unique_lock lock{lock_};
    changed_.wait(lock, [&] { return !held_; });
    for (const auto m : batch) {
      EXPECT_EQ(shard, shard_of(m[0], shards_));
      values_[std::string{m[0]}].push_back(std::stoi(std::string{m[1]}));
      if (const auto body = bodies_.find(values_[std::string{m[0]}].back());
          body != bodies_.end()) {
        EXPECT_EQ(m.size(), 4U);
        EXPECT_EQ(m.back(), body->second);
      }
      threads_.at(shard) = std::this_thread::get_id();
      ++taken_;
    }
    changed_.notify_all();
  }
  void tell_end(error_code why) {
    const std::lock_guard alone{lock_};
    end_ = why;
    changed_.notify_all();
  }
  void hold(bool held) {
    const std::lock_guard alone{lock_};
    held_ = held;
    changed_.notify_all();
  }
  // The publisher writes meanwhile.
  void await_taken(std::size_t count) {
    run_until([&] {
      boost::asio::post(context(), [] {});
      const std::lock_guard alone{lock_};
      return taken_ >= count;
    });
  }
  [[nodiscard]] std::uint64_t total(std::uint64_t shard_counters::*count) const {
    std::uint64_t sum = 0;
    for (const auto& one : box_->counters()) {
      sum += one.*count;
    }
    return sum;
  }
  void publish(int from, int count, int topics) {
    for (int n = from; n < from + count; ++n) {
      put(publisher_, {"topic" + std::to_string(n % topics), std::to_string(n)});
    }
  }

  pub_socket publisher_{executor(), waiting_for_all()};
  const std::size_t shards_ = 3;
  std::mutex lock_;
  std::condition_variable changed_;
  bool held_ = false;
  std::map<std::string, std::vector<int>> values_;
  std::map<int, std::string> bodies_;  // last part by number of the message
  std::array<std::thread::id, 3> threads_{};
  std::size_t taken_ = 0;
  std::optional<error_code> end_;
  // Last: its threads use all of that.
  std::optional<sharded_subscriber> box_;
};

TEST_F(sharded_subscriber_test, each_message_once_and_in_the_order_of_its_topic) {
  start({.shards = shards_});
  publish(0, 3'000, 17);
  await_taken(3'000);
  box_.reset();
  EXPECT_EQ(taken_, 3'000U);
  EXPECT_EQ(values_.size(), 17U);
  for (const auto& [topic, values] : values_) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      EXPECT_EQ(values[i], values[i - 1] + 17);
    }
  }
  EXPECT_NE(threads_[0], threads_[1]);
  EXPECT_NE(threads_[1], threads_[2]);
  EXPECT_NE(threads_[0], threads_[2]);
}

TEST_F(sharded_subscriber_test, messages_of_all_sizes_arrive_unchanged) {
  const std::vector<std::size_t> sizes{0, 80, 97, 300, 4'000, 4'090, 5'000, 100'000};
  for (int n = 0; n < 40; ++n) {
    bodies_[n] = std::string(sizes.at(static_cast<std::size_t>(n) % sizes.size()),
                             static_cast<char>('a' + n % 26));
  }
  start({.shards = shards_});
  for (const auto& [n, body] : bodies_) {
    put(publisher_, {"topic" + std::to_string(n % 4), std::to_string(n), "", body});
  }
  await_taken(40);
  box_.reset();
  EXPECT_EQ(taken_, 40U);
}

TEST_F(sharded_subscriber_test, full_shards_stop_the_publisher) {
  start({.shards = shards_, .queue_messages = 10, .socket = with_marks(10)});
  hold(true);
  // More messages than the queues on the path can hold.
  constexpr int count = 2'000;
  message_batch all;
  for (int n = 0; n < count; ++n) {
    all.append("topic", std::to_string(n), std::string(20'000, 'x'));
  }
  std::optional<error_code> end;
  publisher_.async_send(all, [&](error_code ec, std::size_t) { end = ec; });
  run_until([&] {
    boost::asio::post(context(), [] {});
    return total(&shard_counters::full) != 0;
  });
  EXPECT_FALSE(end);
  for (const auto& one : box_->counters()) {
    EXPECT_LE(one.most_waiting, 10U + 1'024);
  }
  hold(false);
  run_until([&] { return end.has_value(); });
  await_taken(count);
  const auto& values = values_["topic"];
  ASSERT_EQ(values.size(), static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) {
    EXPECT_EQ(values[static_cast<std::size_t>(n)], n);
  }
}

TEST_F(sharded_subscriber_test, received_messages_are_processed_before_it_ends) {
  start({.shards = shards_});
  hold(true);
  publish(0, 500, 5);
  run_until([&] {
    boost::asio::post(context(), [] {});
    return total(&shard_counters::received) == 500;
  });
  box_->stop();
  hold(false);
  box_.reset();
  EXPECT_EQ(taken_, 500U);
}

TEST_F(sharded_subscriber_test, can_close_instead_of_waiting) {
  start({.shards = shards_, .queue_messages = 1, .close_when_full = true});
  hold(true);
  for (int sent = 0; publisher_.subscribers("") != 0;) {
    if (publisher_.try_send({"topic", std::to_string(sent)}) == send_status::queued) {
      ++sent;
    }
    run_ready();
  }
  run_until([&] {
    boost::asio::post(context(), [] {});
    const std::lock_guard alone{lock_};
    return end_.has_value();
  });
  EXPECT_EQ(end_, errc::too_slow);
  hold(false);
  box_.reset();
  const auto& all = values_["topic"];
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i], static_cast<int>(i));
  }
}

TEST_F(sharded_subscriber_test, counters_count) {
  start({.shards = shards_});
  publish(0, 100, 100);
  await_taken(100);
  box_->stop();
  for (const auto& one : box_->counters()) {
    EXPECT_LE(one.processed, one.received);
    EXPECT_LE(one.most_waiting, one.received);
  }
  EXPECT_EQ(total(&shard_counters::received), 100U);
}

TEST_F(sharded_subscriber_test, a_shard_has_a_context_of_its_own) {
  start({.shards = shards_});
  publish(0, 100, 100);
  await_taken(100);
  for (std::size_t i = 0; i < shards_; ++i) {
    const auto there =
        boost::asio::post(box_->executor(i),
                          boost::asio::use_future([] { return std::this_thread::get_id(); }))
            .get();
    EXPECT_EQ(there, threads_.at(i));
  }
}

TEST_F(sharded_subscriber_test, options_that_make_no_sense) {
  for (const auto& options :
       {sharded_subscriber_options{.shards = 0}, sharded_subscriber_options{.queue_messages = 0},
        sharded_subscriber_options{.queue_bytes = 0}}) {
    EXPECT_THROW((sharded_subscriber{options, handlers()}), boost::system::system_error);
  }
}

TEST_F(sharded_subscriber_test, endpoints_that_are_none) {
  sharded_subscriber box{{}, handlers()};
  EXPECT_THROW(box.connect("nowhere"), boost::system::system_error);
  EXPECT_THROW(box.bind("tcp://localhost"), boost::system::system_error);
}

}  // namespace
}  // namespace zmtp::test
