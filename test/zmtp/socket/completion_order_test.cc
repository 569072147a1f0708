// Operations complete in the order of their calls, and never within a call of the user's.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <boost/asio/post.hpp>

#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class completion_order : public network_test {
protected:
  // A handler that notes that it was called, and that it was not within a call.
  auto note(std::string name) {
    return [this, name = std::move(name)](error_code, const auto&...) {
      EXPECT_FALSE(within_) << name << " was called within a call of the user's";
      called_.push_back(name);
    };
  }
  // In a handler, where a completion could be called at once.
  template <class Call>
  void call(Call&& user_code) {
    bool done = false;
    asio::post(context(), [&] {
      within_ = true;
      user_code();
      within_ = false;
      done = true;
    });
    run_until([&] { return done; });
  }

  std::vector<std::string> called_;

private:
  bool within_ = false;
};

TEST_F(completion_order, receives_are_served_in_the_order_of_their_calls) {
  dealer_socket dealer{executor()};
  router_socket router{executor(), announcing()};
  const auto peer = join(dealer, router);
  std::vector<std::string> got;
  for (int i = 0; i < 5; ++i) {
    dealer.async_receive([&](error_code, const message& m) { got.emplace_back(m[0]); });
  }
  const std::vector<std::string> sent{"1", "2", "3", "4", "5"};
  for (const auto& text : sent) {
    EXPECT_EQ(router.try_send(peer, message{text}), send_status::queued);
  }
  run_until([&] { return got.size() == 5; });
  EXPECT_EQ(got, sent);
}

TEST_F(completion_order, sends_are_queued_in_the_order_of_their_calls) {
  dealer_socket dealer{executor()};
  for (int i = 0; i < 5; ++i) {
    dealer.async_send(message{std::to_string(i)}, note(std::to_string(i)));
  }
  EXPECT_EQ(dealer.try_send(message{"would overtake"}), send_status::full);
  router_socket router{executor(), announcing()};
  static_cast<void>(join(dealer, router));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(receive(router).content, message{std::to_string(i)});
  }
  EXPECT_EQ(called_, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
}

// The socket has one message, and the kernel has another that the socket has not read. The first
// operation is complete at once, but its handler runs later. The second operation waits, and the
// socket reads its message before.
TEST_F(completion_order, a_completed_operation_is_not_overtaken_by_a_waiting_one) {
  dealer_socket dealer{executor()};
  raw_listener listener{context()};
  raw_peer peer{context()};
  listener.start_accepting(peer);
  dealer.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  peer.shake_hands("ROUTER");
  peer.send(framed({"first"}) + framed({"second"}));
  // When the first message is here, the second one is here too.
  EXPECT_EQ(receive(dealer), message{"first"});
  asio::post(context(), [&] {
    asio::post(context(), [&] {
      dealer.async_receive(note("second"));
      dealer.async_receive(note("third"));
    });
    // The context finds the message before it runs the handler above, and lets it wait behind that
    // handler.
    peer.send(framed({"third"}));
  });
  run_until([&] { return called_.size() == 2; });
  EXPECT_EQ(called_, (std::vector<std::string>{"second", "third"}));
}

TEST_F(completion_order, operations_of_all_kinds_complete_in_order) {
  dealer_socket dealer{executor()};
  dealer.connect("tcp://127.0.0.1:1");
  call([&] {
    dealer.async_send(message{"m"}, note("queued"));
    dealer.async_send(message{}, note("bad message"));
    dealer.async_receive(note("closed"));
    dealer.async_send(message{"n"}, note("queued too"));
    dealer.close(0ms);
    dealer.async_receive(note("was closed"));
  });
  run_ready();
  EXPECT_EQ(called_, (std::vector<std::string>{"queued", "bad message", "queued too", "closed",
                                               "was closed"}));
}

TEST_F(completion_order, no_call_calls_back) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor()};
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  dealer.connect(at);
  const auto peer = receive(router).peer;
  router.async_receive(note("detached"));
  dealer.async_receive(note("nothing"));
  call([&] { router.disconnect(peer); });
  run_until([&] { return called_.size() == 1; });
  // A new connection. A receive operation does not complete when a queue gets space, a peer
  // connects or a socket closes.
  const auto again = receive(router).peer;
  router.async_receive(note("received"));
  call([&] {
    static_cast<void>(dealer.try_send(message{"m"}));
    message none;
    static_cast<void>(dealer.try_receive(none));
    router.pause(again);
    router.resume(again);
  });
  run_until([&] { return called_.size() == 2; });
  router.async_wait_writable(again, note("was writable"));
  call([&] {
    error_code ec;
    dealer.connect("tcp://127.0.0.1:1");
    dealer.disconnect("tcp://127.0.0.1:1", ec);
    dealer.disconnect(at, ec);
    router.unbind(at, ec);
    router.disconnect(again);
    router.async_send(again, message{"m"}, note("dropped"));
    router.async_wait_writable(again, note("gone"));
    router.close();
  });
  run_until([&] { return called_.size() == 5; });
  call([&] { dealer.close(); });
  run_to_the_end();
  EXPECT_EQ(called_, (std::vector<std::string>{"detached", "received", "was writable", "dropped",
                                               "gone", "nothing"}));
}

// A batch writes to get space for itself. A single message that waited before still comes first.
TEST_F(completion_order, a_batch_does_not_overtake_a_single_message) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor(), with_send_mark(1)};
  static_cast<void>(join(dealer, router));
  auto batch = batch_of({message{"3"}, message{"4"}});
  bool done = false;
  // In a handler all wait for the end of the turn, when the queue is full and nothing is written yet.
  dealer.async_receive(deadline{1ms}, [&](error_code, const message&) {
    EXPECT_EQ(dealer.try_send(message{"1"}), send_status::queued);
    dealer.async_send(message{"2"}, [](error_code) {});
    dealer.async_send(batch, [&](error_code, std::size_t count) {
      EXPECT_EQ(count, 2U);
      done = true;
    });
  });
  for (const auto* text : {"1", "2", "3", "4"}) {
    EXPECT_EQ(receive(router).content, message{text});
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace zmtp::test
