// The order, limits and expiry of requests that wait for a pirate worker.

#include "zmtp/pattern/pirate_waiting_state.h"

#include "zmtp/pattern/liveness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

class pirate_waiting : public testing::Test {
protected:
  using request = pirate_waiting_state::request;

  static peer_id client(std::uint32_t number) { return peer_id{number, 1}; }
  static request of_one_part(peer_id from, std::string_view body) {
    return {from, message{"address"sv}, message{body}};
  }
  static request of_two_parts(peer_id from, std::string_view body) {
    return {from, message{"address"sv}, message{body, "more"sv}};
  }
  // The first part of the next request for such a worker. Empty: there is none.
  std::string taken(bool multipart) {
    const auto one = state.take(multipart, resumed);
    return one ? std::string{one->body.front()} : std::string{};
  }

  liveness alive{100ms, 3};
  std::chrono::steady_clock::time_point now{1h};
  std::vector<peer_id> resumed;
  pirate_waiting_state state{{.requests = 4, .bytes = 1'000'000, .unserved_timeout = 1s}, alive};
};

TEST_F(pirate_waiting, a_worker_gets_the_oldest_request_that_it_accepts) {
  EXPECT_FALSE(state.push(of_two_parts(client(1), "first"), now));
  EXPECT_FALSE(state.push(of_one_part(client(2), "second"), now));
  EXPECT_FALSE(state.push(of_two_parts(client(3), "third"), now));
  state.push_front(of_one_part(client(2), "returned"), now);
  EXPECT_EQ(taken(true), "returned");
  EXPECT_EQ(taken(false), "second");
  EXPECT_EQ(taken(false), "");
  EXPECT_EQ(taken(true), "first");
  EXPECT_EQ(taken(true), "third");
  EXPECT_EQ(state.size(), 0U);
}

TEST_F(pirate_waiting, a_client_at_the_limit_is_paused_once_and_resumed) {
  for (const std::uint32_t number : {1U, 2U, 3U}) {
    EXPECT_FALSE(state.push(of_one_part(client(number), "x"), now));
  }
  EXPECT_TRUE(state.push(of_one_part(client(4), "x"), now));
  EXPECT_FALSE(state.push(of_one_part(client(4), "y"), now)) << "it is paused already";
  EXPECT_TRUE(state.push(of_one_part(client(5), "x"), now));
  for (int i = 0; i != 3; ++i) {
    EXPECT_EQ(taken(false), "x");
  }
  EXPECT_TRUE(resumed.empty()) << "three of four still wait";
  EXPECT_EQ(taken(false), "x");
  EXPECT_EQ(resumed.size(), 2U);
}

TEST_F(pirate_waiting, a_disconnected_client_is_dropped_and_not_resumed) {
  for (const std::uint32_t number : {1U, 2U, 3U}) {
    EXPECT_FALSE(state.push(of_one_part(client(number), "x"), now));
  }
  EXPECT_TRUE(state.push(of_two_parts(client(4), "x"), now));
  EXPECT_TRUE(state.push(of_one_part(client(5), "x"), now));
  EXPECT_EQ(state.drop(client(4), resumed), 1U);
  EXPECT_EQ(state.drop(client(4), resumed), 0U);
  EXPECT_EQ(state.drop(client(1), resumed), 1U);
  EXPECT_EQ(state.drop(client(2), resumed), 1U);
  EXPECT_EQ(resumed, std::vector{client(5)});
  EXPECT_EQ(state.size(), 2U);
}

TEST_F(pirate_waiting, requests_expire_only_without_a_suitable_worker) {
  state.count_worker(false, 1, now);
  EXPECT_FALSE(state.push(of_one_part(client(1), "served"), now));
  EXPECT_FALSE(state.push(of_two_parts(client(2), "unsuitable"), now));
  EXPECT_EQ(state.next_deadline(), now + 1s);
  EXPECT_FALSE(state.take_expired(now + 999ms, resumed));
  const auto expired = state.take_expired(now + 1s, resumed);
  ASSERT_TRUE(expired);
  EXPECT_EQ(expired->client, client(2));
  EXPECT_FALSE(state.next_deadline());

  now += 5s;
  state.count_worker(false, -1, now);
  EXPECT_EQ(state.next_deadline(), now + 1s) << "the time starts when the last worker is lost";
}

TEST_F(pirate_waiting, a_pause_of_the_process_postpones_the_expiry) {
  EXPECT_FALSE(state.push(of_one_part(client(1), "x"), now));
  const auto late = now + 10s;
  alive.on_deadline(now + 1s, late);
  EXPECT_FALSE(state.take_expired(late, resumed));
  EXPECT_EQ(state.next_deadline(), late + 100ms);
  EXPECT_TRUE(state.take_expired(late + 100ms, resumed));
}

}  // namespace
}  // namespace zmtp
