// An operation gives up at its deadline, a point in time or a time from now, and not before.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"

#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class deadlines : public network_test {
protected:
  auto note(std::string name) {
    return [this, name = std::move(name)](error_code ec, const auto&...) {
      EXPECT_EQ(ec, errc::timed_out);
      ended_.push_back(name);
    };
  }

  std::vector<std::string> ended_;
};

TEST_F(deadlines, apply_to_every_operation) {
  auto options = announcing();
  options.mandatory = true;
  options.send_mark.messages = 1;
  router_socket router{executor(), options};
  raw_peer send_broken{context()};
  send_broken.connect(router.bind("tcp://127.0.0.1:*"));
  send_broken.shake_hands("DEALER");
  const auto peer = receive(router).peer;
  while (router.try_send(peer, message{std::string(1'000'000, 'x')}) == send_status::queued) {
  }
  dealer_socket lonely{executor()};
  auto to_send = batch_of({message{"m"}});
  message_batch plain;
  message_batch routed;
  const auto begin = steady_clock::now();
  const deadline until{begin + 20ms};
  lonely.async_send(message{"m"}, until, note("send"));
  lonely.async_send(to_send, until, note("send a batch"));
  lonely.async_receive(until, note("receive"));
  lonely.async_receive(plain, until, note("receive a batch"));
  router.async_receive(until, note("receive routed"));
  router.async_receive(routed, until, note("router receives a batch"));
  router.async_send(peer, message{"m"}, until, note("router sends"));
  router.async_wait_writable(peer, until, note("wait"));
  run_until([&] { return ended_.size() == 8; });
  EXPECT_GE(steady_clock::now() - begin, 20ms);
  EXPECT_EQ(to_send.size(), 1U);
}

TEST_F(deadlines, may_be_earlier_than_those_of_previous_calls) {
  dealer_socket dealer{executor()};
  dealer.async_receive(deadline{1h}, note("in an hour"));
  dealer.async_receive(deadline{10ms}, note("first"));
  dealer.async_receive(note("never"));
  run_until([&] { return ended_.size() == 1; });
  dealer.async_receive(deadline{30min}, note("in half an hour"));
  dealer.async_receive(deadline{1ms}, note("second"));
  run_until([&] { return ended_.size() == 2; });
  EXPECT_EQ(ended_, (std::vector<std::string>{"first", "second"}));
  destroy_context();
}

TEST_F(deadlines, in_the_past_still_allow_operations_that_need_no_wait) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor()};
  static_cast<void>(join(dealer, router));
  bool sent = false;
  dealer.async_send(message{"m"}, deadline{steady_clock::now() - 1h}, [&](error_code ec) {
    EXPECT_FALSE(ec);
    sent = true;
  });
  run_until([&] { return sent; });
  dealer.async_receive(deadline{-1h}, note("over"));
  run_until([&] { return ended_.size() == 1; });
}

TEST_F(deadlines, end_with_the_operation) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor()};
  const auto peer = join(dealer, router);
  int received = 0;
  const auto count = [&](error_code ec, const message&) {
    EXPECT_FALSE(ec);
    ++received;
  };
  dealer.async_receive(deadline{10ms}, count);
  dealer.async_receive(deadline{1h}, count);
  EXPECT_EQ(router.try_send(peer, message{"1"}), send_status::queued);
  EXPECT_EQ(router.try_send(peer, message{"2"}), send_status::queued);
  run_until([&] { return received == 2; });
  // The first one's time comes, and nothing happens.
  dealer.async_receive(deadline{20ms}, note("later"));
  run_until([&] { return ended_.size() == 1; });
  EXPECT_EQ(received, 2);
}

TEST_F(deadlines, beyond_the_range_of_the_clock_are_never) {
  dealer_socket dealer{executor()};
  int ended = 0;
  const auto count = [&](error_code ec, const message&) {
    EXPECT_EQ(ec, errc::socket_closed);
    ++ended;
  };
  dealer.async_receive(deadline{std::chrono::hours::max()}, count);
  dealer.async_receive(deadline{std::chrono::nanoseconds::max()}, count);
  dealer.async_receive(deadline{std::chrono::duration<double>{1e300}}, count);
  dealer.async_receive(deadline{steady_clock::time_point::max()}, count);
  dealer.async_receive(deadline{std::chrono::hours::min()}, note("long ago"));
  dealer.async_receive(deadline{steady_clock::time_point::min()}, note("longer ago"));
  run_until([&] { return ended_.size() == 2; });
  EXPECT_EQ(ended, 0);
  dealer.close();
  run_to_the_end();
  EXPECT_EQ(ended, 4);
}

}  // namespace
}  // namespace zmtp::test
