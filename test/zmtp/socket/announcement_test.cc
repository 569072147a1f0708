// Attach and detach are received in their order with the messages: attach before a peer's first, detach
// after its last.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using kind = routed_message::kind;

class announcement : public network_test {
protected:
  // Receives everything up to the detach of `peers` peers, and returns it by sender.
  std::map<peer_id, std::vector<std::string>> history(router_socket& router, std::size_t peers) {
    std::map<peer_id, std::vector<std::string>> received;
    for (std::size_t gone = 0; gone < peers;) {
      const auto item = receive(router);
      switch (item.what) {
        case kind::attached: received[item.peer].push_back("attached"); break;
        case kind::detached:
          received[item.peer].push_back("detached");
          ++gone;
          break;
        case kind::message: received[item.peer].emplace_back(item.content[0]); break;
      }
      if (HasFailure()) {
        break;
      }
    }
    return received;
  }
  static std::vector<std::string> whole_story(std::size_t messages) {
    std::vector<std::string> story{"attached"};
    for (std::size_t i = 0; i < messages; ++i) {
      story.push_back(std::to_string(i));
    }
    story.emplace_back("detached");
    return story;
  }
};

TEST_F(announcement, makes_the_extensions_of_a_peer_known) {
  router_socket router{executor(), announcing()};
  auto options = announcing();
  options.extensions = {"capacity=8", "mdp-errors"};
  dealer_socket dealer{executor(), options};
  const auto peer = join(dealer, router);
  ASSERT_NE(router.info(peer), nullptr);
  const auto* list = router.info(peer)->properties.find("X-Zinc");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(*list, "capacity=8,mdp-errors");
  dealer_socket plain{executor()};
  const auto other = join(plain, router);
  ASSERT_NE(router.info(other), nullptr);
  EXPECT_EQ(router.info(other)->properties.find("X-Zinc"), nullptr);
}

TEST_F(announcement, encloses_the_messages_of_a_peer) {
  router_socket router{executor(), announcing()};
  {
    dealer_socket dealer{executor()};
    dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(dealer.try_send(message{std::to_string(i)}), send_status::queued);
    }
  }
  const auto received = history(router, 1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received.begin()->second, whole_story(3));
}

// In one segment with its handshake and its end, and received late.
TEST_F(announcement, encloses_a_thousand_messages_of_a_disconnected_peer) {
  for (const bool reset : {false, true}) {
    auto options = announcing();
    options.receive_mark.messages = 100;
    router_socket router{executor(), options};
    raw_peer peer{context()};
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    peer.shake_hands("DEALER");
    std::string all;
    for (std::size_t i = 0; i < 1000; ++i) {
      all += framed({std::to_string(i)});
    }
    peer.send(all);
    if (reset) {
      // A reset may overtake what the kernel had not given to the socket yet.
      routed_message first;
      run_until([&] { return router.try_receive(first); });
      EXPECT_EQ(first.what, kind::attached);
      peer.start_reading();
      run_ready();
      peer.reset();
      routed_message item;
      std::size_t next = 0;
      for (item = receive(router); item.what == kind::message; item = receive(router)) {
        ASSERT_EQ(item.content, message{std::to_string(next++)});
      }
      EXPECT_EQ(item.what, kind::detached);
    } else {
      peer.close();
      const auto received = history(router, 1);
      ASSERT_EQ(received.size(), 1U);
      EXPECT_EQ(received.begin()->second, whole_story(1000));
    }
  }
}

TEST_F(announcement, keeps_many_peers_apart) {
  router_socket router{executor(), announcing()};
  const auto at = router.bind("tcp://127.0.0.1:*");
  constexpr std::size_t peers = 20;
  for (std::size_t i = 0; i < peers; ++i) {
    raw_peer peer{context()};
    peer.connect(at);
    peer.shake_hands("DEALER");
    for (std::size_t n = 0; n < i; ++n) {
      peer.send(framed({std::to_string(n)}));
    }
    run_ready();
  }
  const auto received = history(router, peers);
  EXPECT_EQ(received.size(), peers);
  std::vector<std::size_t> lengths(peers, 0);
  for (const auto& [peer, story] : received) {
    const auto messages = story.size() - 2;
    EXPECT_EQ(story, whole_story(messages));
    ++lengths.at(messages);
  }
  EXPECT_EQ(lengths, std::vector<std::size_t>(peers, 1));
}

TEST_F(announcement, comes_once_for_each_connection_of_an_endpoint) {
  std::optional<router_socket> router{std::in_place, executor()};
  const auto at = router->bind("tcp://127.0.0.1:*").to_string();
  auto options = announcing();
  options.reconnect = {.initial = 1ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
  dealer_socket dealer{executor(), options};
  dealer.connect(at);
  std::vector<kind> received;
  message_batch batch;
  std::function<void()> listen = [&] {
    dealer.async_receive(batch, [&](error_code ec, std::size_t) {
      if (ec) {
        return;
      }
      for (const auto item : batch) {
        received.push_back(item.what());
      }
      listen();
    });
  };
  listen();
  run_until([&] { return received.size() == 1; });
  router.reset();
  run_until([&] { return received.size() == 2; });
  router.emplace(executor());
  router->bind(at);
  run_until([&] { return received.size() == 3; });
  EXPECT_EQ(received, (std::vector<kind>{kind::attached, kind::detached, kind::attached}));
  dealer.close();
}

TEST_F(announcement, is_not_received_by_a_plain_receive) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor(), announcing()};
  const auto peer = join(dealer, router);
  message none;
  run_ready();
  EXPECT_FALSE(dealer.try_receive(none));
  EXPECT_EQ(router.try_send(peer, message{"m"}), send_status::queued);
  bool got = false;
  dealer.async_receive([&](error_code, const message& m) { got = m == message{"m"}; });
  run_until([&] { return got; });
}

TEST_F(announcement, does_not_come_unasked) {
  router_socket router{executor()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  peer.send(framed({"only this"}));
  EXPECT_EQ(receive(router).content, message{"only this"});
  peer.close();
  run_ready();
  routed_message item;
  EXPECT_FALSE(router.try_receive(item));
}

TEST_F(announcement, comes_after_a_disconnect_by_the_user) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  peer.send(framed({"0"}));
  const auto id = receive(router).peer;
  run_ready();
  router.disconnect(id);
  EXPECT_EQ(receive(router).content, message{"0"});
  EXPECT_EQ(receive(router).what, kind::detached);
}

TEST_F(announcement, comes_after_the_endpoint_was_disconnected) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor(), announcing()};
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  dealer.connect(at);
  const auto peer = receive(router).peer;
  EXPECT_EQ(router.try_send(peer, message{"0"}), send_status::queued);
  EXPECT_EQ(router.try_send(peer, message{"1"}), send_status::queued);
  message_batch batch;
  dealer.async_receive(batch, [&](error_code ec, std::size_t) {
    EXPECT_FALSE(ec);
    EXPECT_EQ(batch.front().what(), kind::attached);
  });
  run_until([&] { return !batch.empty(); });
  run_ready();
  error_code ec;
  dealer.disconnect(at, ec);
  EXPECT_FALSE(ec);
  std::vector<std::string> story;
  while (story.empty() || story.back() != "detached") {
    message_batch more_of_them;
    bool got = false;
    dealer.async_receive(more_of_them, deadline{timeout}, [&](error_code failed, std::size_t) {
      ASSERT_FALSE(failed);
      got = true;
    });
    run_until([&] { return got; });
    for (const auto item : more_of_them) {
      story.emplace_back(item.what() == kind::message ? item.front() : "detached");
    }
    ASSERT_FALSE(HasFailure());
  }
  const auto all = batch.size() - 1 + story.size();
  EXPECT_EQ(all, 3U) << "two messages and the detach";
}

}  // namespace
}  // namespace zmtp::test
