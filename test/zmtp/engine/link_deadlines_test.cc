#include "zmtp/engine/link_deadlines.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;

class link_deadlines_test : public testing::Test {
protected:
  class link final : public link_deadlines::entry {
  public:
    link(link_deadlines_test& test, int number) : test_{test}, number_{number} {}

    void on_time() override {
      test_.called_.push_back(number_);
      if (then_) {
        then_();
      }
    }
    void then(std::function<void()> what) { then_ = std::move(what); }

  private:
    link_deadlines_test& test_;
    int number_;
    std::function<void()> then_;
  };

  [[nodiscard]] static link_deadlines::time_point at(std::chrono::seconds time) {
    return link_deadlines::time_point{time};
  }

  link_deadlines deadlines_;
  link one_{*this, 1};
  link two_{*this, 2};
  std::optional<link> three_{std::in_place, *this, 3};
  std::vector<int> called_;
};

TEST_F(link_deadlines_test, has_no_first_deadline_at_the_start) {
  EXPECT_EQ(deadlines_.first(), std::nullopt);
  deadlines_.expire(at(100s), 9);
  EXPECT_EQ(called_, std::vector<int>{});
}

TEST_F(link_deadlines_test, calls_equal_deadlines_in_the_order_set) {
  deadlines_.set(one_, at(3s));
  deadlines_.set(*three_, at(2s));
  deadlines_.set(two_, at(2s));
  EXPECT_EQ(deadlines_.first(), at(2s));
  deadlines_.expire(at(3s), 9);
  EXPECT_EQ(called_, (std::vector{3, 2, 1}));
  EXPECT_EQ(deadlines_.first(), std::nullopt);
}

TEST_F(link_deadlines_test, makes_no_call_before_the_time) {
  deadlines_.set(one_, at(3s));
  deadlines_.set(two_, at(4s));
  deadlines_.expire(at(3s) - 1ns, 9);
  EXPECT_EQ(called_, std::vector<int>{});
  deadlines_.expire(at(3s), 9);
  EXPECT_EQ(called_, (std::vector{1}));
  EXPECT_EQ(deadlines_.first(), at(4s));
}

TEST_F(link_deadlines_test, a_new_deadline_replaces_the_one_before) {
  deadlines_.set(one_, at(3s));
  deadlines_.set(two_, at(4s));
  deadlines_.set(one_, at(5s));
  EXPECT_EQ(one_.due(), at(5s));
  EXPECT_EQ(deadlines_.first(), at(4s));
  deadlines_.set(two_, std::nullopt);
  EXPECT_EQ(two_.due(), std::nullopt);
  deadlines_.expire(at(9s), 9);
  EXPECT_EQ(called_, (std::vector{1}));
}

TEST_F(link_deadlines_test, forgets_what_is_destroyed) {
  deadlines_.set(*three_, at(1s));
  deadlines_.set(two_, at(2s));
  three_.reset();
  EXPECT_EQ(deadlines_.first(), at(2s));
  deadlines_.expire(at(9s), 9);
  EXPECT_EQ(called_, (std::vector{2}));
}

TEST_F(link_deadlines_test, a_call_may_remove_others_that_are_due) {
  deadlines_.set(one_, at(1s));
  deadlines_.set(two_, at(1s));
  deadlines_.set(*three_, at(1s));
  one_.then([this] {
    deadlines_.set(two_, std::nullopt);
    three_.reset();
  });
  deadlines_.expire(at(1s), 9);
  EXPECT_EQ(called_, (std::vector{1}));
}

TEST_F(link_deadlines_test, leaves_the_rest_for_later_after_as_many_calls_as_allowed) {
  deadlines_.set(one_, at(1s));
  deadlines_.set(two_, at(2s));
  one_.then([this] { deadlines_.set(one_, at(1s)); });
  deadlines_.expire(at(2s), 2);
  EXPECT_EQ(called_, (std::vector{1, 1}));
  EXPECT_EQ(deadlines_.first(), at(1s));
}

TEST_F(link_deadlines_test, has_no_deadline_during_its_call) {
  std::optional<link_deadlines::time_point> due = at(7s);
  one_.then([&] { due = one_.due(); });
  deadlines_.set(one_, at(1s));
  deadlines_.expire(at(1s), 1);
  EXPECT_EQ(due, std::nullopt);
}

}  // namespace
}  // namespace zmtp
