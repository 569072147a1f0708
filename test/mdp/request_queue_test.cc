#include "mdp/request_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace mdp {
namespace {

using namespace std::chrono_literals;

class request_queue_order : public testing::Test {
public:
  request& ask(client_record& from, char name) {
    auto& r = requests.create();
    r.body.push_back({&name, 1});
    r.asked_by = &from;
    r.queued_at = now += 1s;
    queue.push(r);
    return r;
  }
  std::string take(int count) {
    std::string names;
    for (; count != 0; --count) {
      auto& r = queue.take();
      names += r.body.front();
      requests.destroy(r);
    }
    return names;
  }

  time_point now;
  pool<line> lines;
  pool<request> requests;
  client_record a;
  client_record b;
  client_record c;
  request_queue queue{lines};
};

TEST_F(request_queue_order, clients_take_turns_and_keep_their_order) {  // MDP-2
  for (const char name : {'1', '2', '3'}) {
    ask(a, name);
  }
  ask(b, 'x');
  ask(c, 'y');
  EXPECT_EQ(take(3), "1xy");
  ask(c, 'z');
  EXPECT_EQ(take(3), "2z3");
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(lines.size(), 0U);
}

TEST_F(request_queue_order, a_returned_request_is_first) {  // C3-5
  auto& first = ask(a, '1');
  auto& second = ask(a, '2');
  ask(b, 'x');
  EXPECT_EQ(&queue.take(), &first);
  EXPECT_EQ(&queue.oldest(), &second);
  first.queued_at = now += 1s;
  queue.give_back(first);
  EXPECT_EQ(&queue.oldest(), &second);
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.returned(), &first);
  EXPECT_EQ(queue.suspect(), nullptr);
  queue.remove(first);
  EXPECT_EQ(queue.size(), 2U);
  // With an attempt behind it the request is a suspect.
  first.attempts = 1;
  queue.give_back(first);
  EXPECT_EQ(queue.returned(), nullptr);
  EXPECT_EQ(queue.suspect(), &first);
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(take(2), "x2");
  EXPECT_FALSE(queue.has_turn());
  queue.remove(first);
  EXPECT_TRUE(queue.empty());
  requests.destroy(first);
}

TEST_F(request_queue_order, removed_from_anywhere) {
  auto& one = ask(a, '1');
  auto& two = ask(a, '2');
  auto& back = ask(b, 'x');
  ask(c, 'y');
  queue.remove(back);
  queue.give_back(back);
  queue.remove(back);
  requests.destroy(back);
  queue.remove(two);
  queue.remove(one);
  EXPECT_EQ(lines.size(), 1U);
  EXPECT_EQ(take(1), "y");
  requests.destroy(one);
  requests.destroy(two);
}

TEST_F(request_queue_order, a_client_in_several_queues) {
  request_queue other{lines};
  ask(a, '1');
  auto& r = requests.create();
  r.asked_by = &a;
  other.push(r);
  ask(a, '2');
  EXPECT_EQ(lines.size(), 2U);
  EXPECT_EQ(&other.take(), &r);
  EXPECT_EQ(take(2), "12");
}

}  // namespace
}  // namespace mdp
