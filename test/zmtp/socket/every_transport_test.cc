// DEALER and ROUTER behave in the same way on each transport.

#include "test/support/certificates.h"
#include "test/support/meeting.h"
#include "test/support/network_test.h"
#include "test/support/no_descriptors.h"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class every_transport : public network_test, public testing::WithParamInterface<medium> {
protected:
  using kind = routed_message::kind;

  [[nodiscard]] static bool is_ipc() {
    return GetParam() == medium::ipc || GetParam() == medium::ipc_abstract;
  }
  [[nodiscard]] static std::string bind(router_socket& router) {
    return router.bind(free_endpoint(GetParam())).to_string();
  }
  // Returns options for a socket that binds or connects.
  [[nodiscard]] static socket_options own(const socket_options& all = {}) {
    return GetParam() == medium::tls || GetParam() == medium::wss ? with_tls(all) : all;
  }
  // Announces peers, reconnects after a short pause, and has small queues.
  [[nodiscard]] static socket_options options() {
    auto all = own(announcing());
    all.reconnect = {.initial = 1ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
    all.send_mark.messages = 10;
    all.receive_mark.messages = 10;
    return all;
  }
  // Checks the kind of the next item.
  void expect_next(router_socket& at, kind what) { EXPECT_EQ(receive(at).what, what); }
};

INSTANTIATE_TEST_SUITE_P(over, every_transport, testing::ValuesIn(media()),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(over_tls, every_transport, testing::ValuesIn(secure_media()),
                         testing::PrintToStringParamName());

TEST_P(every_transport, messages_of_all_shapes_go_both_ways) {
  router_socket router{executor(), own()};
  dealer_socket dealer{executor(), own()};
  dealer.connect(bind(router));
  std::vector<message> shapes;
  for (const auto size :
       std::initializer_list<std::size_t>{0, 1, 255, 256, 8'191, 65'536, 1'048'576}) {
    shapes.push_back(message{std::string(size, 'x')});
    shapes.push_back(message{"", std::string(size, 'y'), ""});
  }
  for (const int parts : {2, 10, 100}) {
    message m;
    for (int i = 0; i < parts; ++i) {
      m.push_back(std::string(static_cast<std::size_t>(i) * 7, 'z'));
    }
    shapes.push_back(m);
  }
  for (const auto& shape : shapes) {
    ASSERT_EQ(dealer.try_send(message{shape}), send_status::queued);
    auto there = receive(router);
    EXPECT_EQ(there.content, shape);
    ASSERT_EQ(router.try_send(there.peer, std::move(there.content)), send_status::queued);
    EXPECT_EQ(receive(dealer), shape);
  }
}

TEST_P(every_transport, notices_of_peers_come_in_order_with_their_messages) {
  router_socket router{executor(), own(announcing())};
  const auto at = bind(router);
  for (int i = 0; i < 3; ++i) {
    {
      dealer_socket dealer{executor(), own()};
      dealer.connect(at);
      EXPECT_EQ(dealer.try_send(message{"last words"}), send_status::queued);
      expect_next(router, kind::attached);
    }
    EXPECT_EQ(receive(router).content, message{"last words"});
    expect_next(router, kind::detached);
  }
}

TEST_P(every_transport, a_peer_has_its_address_and_on_ipc_its_process_id) {
  socket_options named;
  named.routing_id = "me";
  router_socket router{executor(), own(announcing())};
  dealer_socket dealer{executor(), own(named)};
  const auto at = bind(router);
  dealer.connect(at);
  const auto* const info = router.info(receive(router).peer);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->type, socket_type::dealer);
  EXPECT_EQ(info->routing_id, "me");
  const process_credentials us{::getpid(), ::getuid(), ::getgid()};
  EXPECT_EQ(info->process, is_ipc() ? std::optional{us} : std::nullopt);
  if (is_ipc() || GetParam() == medium::inproc) {
    EXPECT_EQ((is_ipc() ? "ipc://" : "inproc://") + info->address, at);
  } else {
    const auto host = at.substr(at.find("://") + 3);
    EXPECT_TRUE(info->address.starts_with(host.substr(0, host.rfind(':') + 1)));
  }
}

TEST_P(every_transport, a_hundred_peers_have_each_their_own_answers) {
  router_socket router{executor(), own()};
  const auto at = bind(router);
  std::vector<dealer_socket> dealers;
  for (int i = 0; i < 100; ++i) {
    dealers.emplace_back(executor(), own()).connect(at);
    EXPECT_EQ(dealers.back().try_send(message{std::to_string(i)}), send_status::queued);
  }
  for (int i = 0; i < 100; ++i) {
    auto asked = receive(router);
    asked.content.push_back("answered");
    EXPECT_EQ(router.try_send(asked.peer, std::move(asked.content)), send_status::queued);
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(receive(dealers[static_cast<std::size_t>(i)]),
              (message{std::to_string(i), "answered"}));
  }
}

TEST_P(every_transport, a_connection_waits_for_a_bind_and_for_the_next_one) {
  const auto at = reserve(GetParam());
  dealer_socket dealer{executor(), options()};
  dealer.connect(at);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(dealer.try_send(message{std::to_string(i)}), send_status::queued);
    }
    run_ready();
    router_socket router{executor(), own(announcing())};
    EXPECT_EQ(router.bind(at).to_string(), at);
    expect_next(router, kind::attached);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(receive(router).content, message{std::to_string(i)}) << "round " << round;
    }
    router.close(0ms);
    // Waits until the dealer has detected the close: later messages are for the next connection.
    run_until([&] {
      return dealer.counters().ended[std::size_t(errc::connection_lost)] > std::size_t(round);
    });
  }
}

TEST_P(every_transport, endpoints_in_use_are_an_error_and_keep_their_owner) {
  router_socket first{executor(), own(announcing())};
  const auto at = bind(first);
  router_socket second{executor(), own()};
  error_code ec;
  second.bind(at, ec);
  EXPECT_EQ(ec, asio::error::address_in_use);
  dealer_socket dealer{executor(), own()};
  dealer.connect(at);
  expect_next(first, kind::attached);
}

TEST_P(every_transport, endpoints_that_are_unbound_are_free_and_peers_stay) {
  router_socket first{executor(), own(announcing())};
  dealer_socket dealer{executor(), own()};
  const auto at = bind(first);
  dealer.connect(at);
  const auto peer = receive(first).peer;
  error_code ec;
  first.unbind(at, ec);
  EXPECT_FALSE(ec);
  first.unbind(at, ec);
  EXPECT_EQ(ec, errc::bad_endpoint) << "twice";
  router_socket second{executor(), own(announcing())};
  EXPECT_EQ(second.bind(at).to_string(), at);
  dealer_socket newcomer{executor(), own()};
  newcomer.connect(at);
  expect_next(second, kind::attached);
  EXPECT_EQ(first.try_send(peer, message{"still there"}), send_status::queued);
  EXPECT_EQ(receive(dealer), message{"still there"});
}

TEST_P(every_transport, unbind_also_accepts_the_text_given_to_bind) {
  router_socket router{executor(), own()};
  const auto text = free_endpoint(GetParam());
  router.bind(text);
  error_code ec;
  router.unbind(text, ec);
  EXPECT_FALSE(ec);
}

TEST_P(every_transport, a_disconnected_endpoint_is_left) {
  router_socket router{executor(), own(announcing())};
  const auto at = bind(router);
  dealer_socket dealer{executor(), own()};
  dealer.connect(at);
  expect_next(router, kind::attached);
  error_code ec;
  dealer.disconnect(at, ec);
  EXPECT_FALSE(ec);
  expect_next(router, kind::detached);
}

TEST_P(every_transport, a_full_receiver_stops_the_sender_without_a_loss) {
  const auto numbered = [](std::size_t n) {
    return message{std::to_string(n), std::string(100'000, 'x')};
  };
  router_socket router{executor(), options()};
  dealer_socket dealer{executor(), options()};
  dealer.connect(bind(router));
  expect_next(router, kind::attached);
  // Sends until a hundred turns free no more space.
  std::size_t sent = 0;
  for (int turns = 0; turns < 100 && sent < 1'000; ++turns) {
    run_ready();
    while (dealer.try_send(numbered(sent)) == send_status::queued) {
      ++sent;
      turns = 0;
    }
  }
  EXPECT_GE(sent, 20U) << "both high-water marks";
  EXPECT_LT(sent, 1'000U);
  for (std::size_t i = 0; i < sent; ++i) {
    ASSERT_EQ(receive(router).content, numbered(i));
  }
}

TEST_P(every_transport, queued_messages_are_written_after_the_socket_is_destroyed) {
  constexpr std::size_t count = 500;
  router_socket router{executor(), own(announcing())};
  {
    dealer_socket dealer{executor(), own()};
    dealer.connect(bind(router));
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(dealer.try_send(message{std::to_string(i), std::string(10'000, 'x')}),
                send_status::queued);
    }
  }
  expect_next(router, kind::attached);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(receive(router).content[0], std::to_string(i));
  }
  expect_next(router, kind::detached);
  router.close();
  run_to_the_end();
}

// Transports whose connections take descriptors.
class every_byte_transport : public every_transport {};

INSTANTIATE_TEST_SUITE_P(over, every_byte_transport, testing::ValuesIn(byte_media()),
                         testing::PrintToStringParamName());

TEST_P(every_byte_transport, without_descriptors_newcomers_wait_and_peers_are_served) {
  router_socket router{executor(), own(announcing())};
  const auto at = bind(router);
  dealer_socket dealer{executor(), own()};
  dealer.connect(at);
  const auto peer = receive(router).peer;
  dealer_socket newcomer{executor(), own()};
  newcomer.connect(at);
  std::optional<no_descriptors> exhausted{std::in_place};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(dealer.try_send(message{"there"}), send_status::queued);
    EXPECT_EQ(receive(router).content, message{"there"});
    EXPECT_EQ(router.try_send(peer, message{"back"}), send_status::queued);
    EXPECT_EQ(receive(dealer), message{"back"});
  }
  // The listener retries after growing pauses, and does not spin.
  const auto pauses = [&] { return router.counters().accept_pauses; };
  std::size_t handlers = 0;
  run_until([&] { return ++handlers > 20 || pauses() == 2; });
  EXPECT_EQ(pauses(), 2U);
  EXPECT_LE(handlers, 20U);
  routed_message none;
  EXPECT_FALSE(router.try_receive(none));
  exhausted.reset();
  expect_next(router, kind::attached);
  EXPECT_LE(pauses(), 3U);
}

// docs/endpoints.md, "Child processes".
TEST_P(every_transport, a_child_of_a_fork_can_drop_its_copies_without_side_effects) {
  std::optional<router_socket> router{std::in_place, executor(), own(announcing())};
  std::optional<dealer_socket> dealer{std::in_place, executor(), own()};
  const auto at = bind(*router);
  dealer->connect(at);
  expect_next(*router, kind::attached);
  EXPECT_EQ(dealer->try_send(message{"queued once"}), send_status::queued);
  context().notify_fork(asio::execution_context::fork_prepare);
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    context().notify_fork(asio::execution_context::fork_child);
    destroy_context();
    dealer.reset();
    router.reset();
    ::_exit(0);
  }
  context().notify_fork(asio::execution_context::fork_parent);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(receive(*router).content, message{"queued once"});
  EXPECT_EQ(dealer->try_send(message{"next"}), send_status::queued);
  EXPECT_EQ(receive(*router).content, message{"next"});
  dealer_socket newcomer{executor(), own()};
  newcomer.connect(at);
  expect_next(*router, kind::attached);
}

TEST_P(every_transport, a_context_that_is_destroyed_ends_listeners_and_attempts) {
  std::optional<router_socket> router{std::in_place, executor(), own()};
  std::optional<dealer_socket> dealer{std::in_place, executor(), own()};
  dealer->connect(reserve(GetParam()));
  dealer->connect(bind(*router));
  destroy_context();
  EXPECT_FALSE(dealer->is_open());
  EXPECT_FALSE(router->is_open());
}

}  // namespace
}  // namespace zmtp::test
