// Sending to a named peer: queued, full or unknown; also waiting for a full peer and pausing a
// peer.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class router_send : public network_test {
protected:
  static socket_options with_mark(bool mandatory) {
    auto options = announcing();
    options.mandatory = mandatory;
    options.send_mark.messages = 2;
    return options;
  }
  // A peer that reads only on request.
  peer_id attach(router_socket& router, raw_peer& peer) {
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    peer.shake_hands("DEALER");
    return receive(router).peer;
  }
  std::size_t fill(router_socket& router, peer_id to) {
    std::size_t sent = 0;
    while (router.try_send(to, message{std::string(1'000'000, 'x')}) == send_status::queued) {
      ++sent;
    }
    return sent;
  }
  auto note() {
    return [this](error_code ec, const auto&...) { ends_.push_back(ec); };
  }

  std::vector<error_code> ends_;
};

TEST_F(router_send, distinguishes_queued_full_and_unknown) {
  router_socket router{executor(), with_mark(false)};
  raw_peer peer{context()};
  const auto id = attach(router, peer);
  EXPECT_GE(fill(router, id), 2U);
  message m{"kept"};
  EXPECT_EQ(router.try_send(id, std::move(m)), send_status::full);
  EXPECT_EQ(router.try_send(peer_id{7, 7}, std::move(m)), send_status::unknown);
  EXPECT_EQ(m, message{"kept"});
  peer.close();
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  EXPECT_EQ(router.try_send(id, std::move(m)), send_status::unknown);
  // try_send drops nothing: its caller still has the message.
  EXPECT_EQ(router.counters().dropped_full, 0U);
  EXPECT_EQ(router.counters().dropped_unknown, 0U);
  EXPECT_GT(router.counters().dropped_detached, 0U);
}

TEST_F(router_send, drops_and_counts_messages_that_cannot_be_queued) {
  router_socket router{executor(), with_mark(false)};
  raw_peer peer{context()};
  const auto id = attach(router, peer);
  const auto sent = fill(router, id);
  router.async_send(id, message{"dropped"}, note());
  router.async_send(peer_id{7, 7}, message{"dropped"}, note());
  run_until([&] { return ends_.size() == 2; });
  EXPECT_EQ(ends_, (std::vector<error_code>(2)));
  EXPECT_EQ(router.counters().messages_sent, sent);
  EXPECT_EQ(router.counters().dropped_full, 1U);
  EXPECT_EQ(router.counters().dropped_unknown, 1U);
}

TEST_F(router_send, mandatory_waits_for_a_full_peer_and_rejects_an_unknown_one) {
  router_socket router{executor(), with_mark(true)};
  raw_peer peer{context()};
  const auto id = attach(router, peer);
  const auto sent = fill(router, id);
  router.async_send(peer_id{7, 7}, message{"to whom?"}, note());
  run_until([&] { return ends_.size() == 1; });
  EXPECT_EQ(ends_[0], errc::host_unreachable);
  router.async_send(id, message{"first"}, note());
  router.async_send(id, message{"second"}, note());
  EXPECT_EQ(router.try_send(id, message{"would overtake"}), send_status::full);
  run_ready();
  EXPECT_EQ(ends_.size(), 1U);
  peer.start_reading();
  run_until([&] { return ends_.size() == 3; });
  EXPECT_EQ(router.try_send(id, message{"third"}), send_status::queued);
  run_until([&] { return content_of(peer.traffic()).messages.size() == sent + 3; });
  const auto got = content_of(peer.traffic()).messages;
  EXPECT_EQ(got[sent], parts{"first"});
  EXPECT_EQ(got[sent + 1], parts{"second"});
  EXPECT_EQ(got[sent + 2], parts{"third"});
}

TEST_F(router_send, a_mandatory_send_ends_when_the_peer_disconnects) {
  router_socket router{executor(), with_mark(true)};
  raw_peer peer{context()};
  const auto id = attach(router, peer);
  fill(router, id);
  router.async_send(id, message{"waits"}, note());
  peer.reset();
  run_until([&] { return !ends_.empty(); });
  EXPECT_EQ(ends_[0], errc::host_unreachable);
}

// A batch names many peers: while it waits for one of them, no other message may overtake it at
// another.
TEST_F(router_send, a_batch_that_waits_is_not_overtaken) {
  router_socket router{executor(), with_mark(true)};
  raw_peer peer{context()};
  const auto full = attach(router, peer);
  fill(router, full);
  dealer_socket dealer{executor()};
  const auto other = join(dealer, router);
  message_batch batch;
  batch.append_to(full, "waits");
  batch.append_to(other, "first");
  router.async_send_to(batch, note());
  router.async_send(other, message{"second"}, note());
  EXPECT_EQ(router.try_send(other, message{"would overtake"}), send_status::full);
  run_ready();
  EXPECT_TRUE(ends_.empty());
  peer.start_reading();
  EXPECT_EQ(receive(dealer), message{"first"});
  EXPECT_EQ(receive(dealer), message{"second"});
  EXPECT_EQ(ends_, (std::vector<error_code>(2)));
}

TEST_F(router_send, full_peers_do_not_block_others) {
  router_socket router{executor(), with_mark(true)};
  raw_peer full{context()};
  const auto id = attach(router, full);
  fill(router, id);
  router.async_send(id, message{"waits"}, note());
  dealer_socket dealer{executor()};
  const auto other = join(dealer, router);
  EXPECT_EQ(router.try_send(other, message{"goes"}), send_status::queued);
  EXPECT_EQ(receive(dealer), message{"goes"});
  router.async_send(other, message{"goes too"}, note());
  EXPECT_EQ(receive(dealer), message{"goes too"});
  EXPECT_EQ(ends_.size(), 1U);
}

TEST_F(router_send, wait_until_writable_completes_when_the_peer_reads) {
  router_socket router{executor(), with_mark(false)};
  raw_peer peer{context()};
  const auto id = attach(router, peer);
  router.async_wait_writable(id, note());
  run_until([&] { return ends_.size() == 1; });
  fill(router, id);
  router.async_wait_writable(id, note());
  run_ready();
  EXPECT_EQ(ends_.size(), 1U);
  peer.start_reading();
  run_until([&] { return ends_.size() == 2; });
  EXPECT_EQ(router.try_send(id, message{"room"}), send_status::queued);
  router.async_wait_writable(peer_id{7, 7}, note());
  run_until([&] { return ends_.size() == 3; });
  EXPECT_EQ(ends_, (std::vector<error_code>{{}, {}, errc::host_unreachable}));
}

// The user has not yet received the detach notice, nor the last messages of the peer.
TEST_F(router_send, wait_until_writable_ends_when_the_peer_disconnects) {
  router_socket router{executor(), with_mark(false)};
  raw_peer peer{context()};
  const auto id = attach(router, peer);
  fill(router, id);
  peer.send(framed({"not received"}));
  router.async_wait_writable(id, note());
  run_ready();
  peer.reset();
  run_until([&] { return !ends_.empty(); });
  EXPECT_EQ(ends_[0], errc::host_unreachable);
  EXPECT_EQ(router.try_send(id, message{"m"}), send_status::unknown);
}

TEST_F(router_send, without_waiting_has_the_errors_of_waiting) {
  router_socket router{executor(), with_mark(true)};
  raw_peer peer{context()};
  const auto id = attach(router, peer);
  const auto expect = [&](send_status status, error_code end, const message& m) {
    EXPECT_EQ(router.try_send(id, message{m}), status);
    EXPECT_EQ(router.try_send(message{m}), status);
    EXPECT_EQ(to_error(status), end);
    ends_.clear();
    router.async_send(id, m, note());
    run_until([&] { return ends_.size() == 1; });
    EXPECT_EQ(ends_.front(), end);
  };
  expect(send_status::bad_message, errc::bad_message, {});
  router.close();
  expect(send_status::closed, errc::socket_closed, {"m"});
  expect(send_status::closed, errc::socket_closed, {});
}

TEST_F(router_send, a_paused_peer_is_not_received_from_and_nothing_is_lost) {
  auto options = announcing();
  options.receive_mark.messages = 10;
  router_socket router{executor(), options};
  dealer_socket dealer{executor()};
  dealer_socket other{executor()};
  const auto id = join(dealer, router);
  static_cast<void>(join(other, router));
  router.pause(id);
  constexpr int count = 100;
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(dealer.try_send(message{std::to_string(i)}), send_status::queued);
  }
  std::optional<routed_message> got;
  router.async_receive([&](error_code, routed_message m) { got = std::move(m); });
  run_ready();
  run_ready();
  EXPECT_FALSE(got);
  EXPECT_EQ(other.try_send(message{"from another"}), send_status::queued);
  run_until([&] { return got.has_value(); });
  EXPECT_EQ(got->content, message{"from another"});
  got.reset();
  router.async_receive([&](error_code, routed_message m) { got = std::move(m); });
  run_ready();
  EXPECT_FALSE(got);
  router.resume(id);
  EXPECT_FALSE(got) << "received within resume()";
  run_until([&] { return got.has_value(); });
  EXPECT_EQ(got->content, message{"0"});
  for (int i = 1; i < count; ++i) {
    ASSERT_EQ(receive(router).content, message{std::to_string(i)});
  }
}

TEST_F(router_send, a_paused_peer_that_disconnects_is_reported) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  const auto id = attach(router, peer);
  router.pause(id);
  peer.send(framed({"last words"}));
  run_ready();
  peer.close();
  EXPECT_EQ(receive(router).content, message{"last words"});
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  // Calls for a disconnected peer do nothing.
  router.pause(id);
  router.resume(id);
  router.disconnect(id);
  EXPECT_EQ(router.info(id), nullptr);
}

TEST_F(router_send, a_peer_is_found_by_its_routing_id) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER", "me");
  const auto id = receive(router).peer;
  EXPECT_EQ(router.find("me"), id);
  ASSERT_NE(router.info(id), nullptr);
  EXPECT_EQ(router.info(id)->routing_id, "me");
  EXPECT_EQ(router.info(id)->type, socket_type::dealer);
  EXPECT_EQ(router.info(id)->address,
            "127.0.0.1:" + std::to_string(peer.socket().local_endpoint().port()));
  router.disconnect(id);
  EXPECT_EQ(router.find("me"), std::nullopt);
  peer.start_reading();
  run_until([&] { return peer.ended(); });
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
}

}  // namespace
}  // namespace zmtp::test
