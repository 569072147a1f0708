// A subscriber that ends itself when messages are late or missing.

#include "zmtp/pattern/suicidal_snail.h"

#include "test/support/pattern_test.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

// Messages are [publisher][number][age in ms].
class suicidal_snail_test : public pattern_test {
protected:
  void start(const snail_options& options) {
    snail_.emplace(executor(), options,
                   snail_handlers{.stamp_of = stamp_of,
                                  .on_message = [this](const message_view& m) { take(m); },
                                  .on_end = [this](const snail_report& r) { end_ = r; }});
    snail_->subscribe("");
    publisher_.connect(snail_->bind("tcp://127.0.0.1:*").to_string());
    std::optional<error_code> there;
    publisher_.async_wait_subscribers("", 1, [&](error_code ec) { there = ec; });
    run_until([&] { return there.has_value(); });
  }
  static snail_stamp stamp_of(const message_view& m) {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    return {.publisher = m[0],
            .number = std::stoull(std::string{m[1]}),
            .at = now - std::chrono::milliseconds{std::stoll(std::string{m[2]})}};
  }
  void take(const message_view& m) {
    taken_.emplace_back(m[0]);
    taken_.back() += m[1];
    if (destroy_) {
      snail_.reset();
    }
  }
  void publish(const std::string& from, int number, int age = 0) {
    put(publisher_, {from, std::to_string(number), std::to_string(age)});
  }
  void await_end() {
    run_until([&] { return end_.has_value(); });
  }

  pub_socket publisher_{executor()};
  std::optional<suicidal_snail> snail_;
  std::vector<std::string> taken_;
  std::optional<snail_report> end_;
  bool destroy_ = false;
};

TEST_F(suicidal_snail_test, a_gap_is_the_end) {
  start({.max_delay = std::nullopt});
  publish("a", 1);
  publish("b", 7);
  publish("a", 2);
  publish("a", 5);
  publish("b", 8);
  await_end();
  EXPECT_EQ(end_->why, snail_verdict::gap);
  EXPECT_EQ(end_->missed, 2U);
  EXPECT_EQ(taken_, (std::vector<std::string>{"a1", "b7", "a2"}));
}

TEST_F(suicidal_snail_test, a_message_that_is_late_is_the_end) {
  start({.max_delay = 1h});
  publish("a", 1);
  publish("a", 2, 7'200'000);
  publish("a", 3);
  await_end();
  EXPECT_EQ(end_->why, snail_verdict::too_late);
  EXPECT_GE(end_->delay, 2h);
  EXPECT_EQ(taken_, std::vector<std::string>{"a1"});
  // The socket is closed: the publisher notices.
  run_until([&] { return publisher_.peers().empty(); });
}

TEST_F(suicidal_snail_test, can_be_destroyed_by_its_handler) {
  start({.max_delay = std::nullopt});
  destroy_ = true;
  publish("a", 1);
  publish("a", 2);
  run_until([&] { return !snail_; });
  publisher_.close();
  run_to_the_end();
  EXPECT_EQ(taken_, std::vector<std::string>{"a1"});
  EXPECT_FALSE(end_);
}

}  // namespace
}  // namespace zmtp::test
