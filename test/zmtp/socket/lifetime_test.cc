// User code may end a socket, its own or its peer's, wherever it is called.

#include "test/support/network_test.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <tuple>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

struct two_sockets {
  explicit two_sockets(network_test& test)
      : dealer{std::in_place, test.executor()},
        router{std::in_place, test.executor(), announcing()} {
    at = router->bind("tcp://127.0.0.1:*").to_string();
    dealer->connect(at);
    peer = test.receive(*router).peer;
  }

  std::optional<dealer_socket> dealer;
  std::optional<router_socket> router;
  std::string at;
  peer_id peer;
};

// An action of user code on the sockets.
struct deed {
  std::string_view name;
  std::function<void(network_test&, two_sockets&)> act;
};

std::ostream& operator<<(std::ostream& to, const deed& d) { return to << d.name; }

const deed deeds[] = {
    {"destroys_dealer", [](network_test&, two_sockets& s) { s.dealer.reset(); }},
    {"destroys_router", [](network_test&, two_sockets& s) { s.router.reset(); }},
    {"destroys_both",
     [](network_test&, two_sockets& s) {
       s.dealer.reset();
       s.router.reset();
     }},
    {"closes_dealer", [](network_test&, two_sockets& s) { s.dealer->close(); }},
    {"closes_router", [](network_test&, two_sockets& s) { s.router->close(); }},
    {"closes_both_at_once",
     [](network_test&, two_sockets& s) {
       s.dealer->close(0ms);
       s.router->close(0ms);
     }},
    {"replaces_dealer",
     [](network_test& test, two_sockets& s) { *s.dealer = dealer_socket{test.executor()}; }},
    {"replaces_router",
     [](network_test& test, two_sockets& s) { *s.router = router_socket{test.executor()}; }},
    {"disconnects_peer", [](network_test&, two_sockets& s) { s.router->disconnect(s.peer); }},
    {"forgets_endpoints",
     [](network_test&, two_sockets& s) {
       error_code ec;
       s.dealer->disconnect(s.at, ec);
       EXPECT_FALSE(ec);
       s.router->unbind(s.at, ec);
       EXPECT_FALSE(ec);
     }},
};

// Where it is called. Each arranges for `run` to be called once by a handler of the sockets, while
// others wait.
struct place {
  std::string_view name;
  std::function<void(network_test&, two_sockets&, std::function<void()> run)> arrange;
};

std::ostream& operator<<(std::ostream& to, const place& p) { return to << p.name; }

asio::awaitable<void> receive_batch(router_socket& from, std::function<void()> run) {
  message_batch batch;
  co_await from.async_receive(batch, asio::use_awaitable);
  run();
}

const place places[] = {
    {"in_a_receive_handler",
     [](network_test&, two_sockets& s, auto run) {
       s.router->async_receive([run](error_code ec, const routed_message& m) {
         EXPECT_FALSE(ec);
         EXPECT_EQ(m.content[0], "one");
         run();
       });
       EXPECT_EQ(s.dealer->try_send(message{"one"}), send_status::queued);
       EXPECT_EQ(s.dealer->try_send(message{"two"}), send_status::queued);
     }},
    {"in_a_coroutine_that_received",
     [](network_test& test, two_sockets& s, auto run) {
       asio::co_spawn(test.context(), receive_batch(*s.router, run), asio::detached);
       test.run_ready();
       EXPECT_EQ(s.dealer->try_send(message{"one"}), send_status::queued);
       EXPECT_EQ(s.dealer->try_send(message{"two"}), send_status::queued);
     }},
    {"in_the_handler_of_a_message_that_was_there",
     [](network_test& test, two_sockets& s, auto run) {
       EXPECT_EQ(s.dealer->try_send(message{"one"}), send_status::queued);
       EXPECT_EQ(s.dealer->try_send(message{"two"}), send_status::queued);
       test.run_ready();
       s.router->async_receive([run](error_code, const routed_message&) { run(); });
     }},
    {"in_a_send_handler",
     [](network_test&, two_sockets& s, auto run) {
       s.dealer->async_send(message{"one"}, [run](error_code ec) {
         EXPECT_FALSE(ec);
         run();
       });
     }},
    {"in_a_handler_that_timed_out",
     [](network_test&, two_sockets& s, auto run) {
       s.dealer->async_receive(deadline{1ms}, [run](error_code ec, const message&) {
         EXPECT_EQ(ec, errc::timed_out);
         run();
       });
     }},
    {"in_a_handler_that_was_cancelled",
     [](network_test&, two_sockets& s, auto run) {
       const auto signal = std::make_shared<asio::cancellation_signal>();
       s.dealer->async_receive(
           asio::bind_cancellation_slot(signal->slot(), [run, signal](error_code ec, auto&&) {
             EXPECT_EQ(ec, asio::error::operation_aborted);
             run();
           }));
       signal->emit(asio::cancellation_type::total);
     }},
    {"when_the_peer_went",
     [](network_test& test, two_sockets& s, auto run) {
       auto other = std::make_shared<dealer_socket>(test.executor());
       other->connect(s.router->bind("tcp://127.0.0.1:*").to_string());
       EXPECT_EQ(test.receive(*s.router).what, routed_message::kind::attached);
       s.router->async_receive([run](error_code ec, const routed_message& m) {
         EXPECT_FALSE(ec);
         EXPECT_EQ(m.what, routed_message::kind::detached);
         run();
       });
       other->close(0ms);
     }},
    {"from_elsewhere",
     [](network_test& test, two_sockets&, auto run) { asio::post(test.context(), run); }},
};

class end_of_sockets : public network_test,
                       public testing::WithParamInterface<std::tuple<place, deed>> {};

TEST_P(end_of_sockets, is_possible_anywhere) {
  const auto& [where, what] = GetParam();
  two_sockets sockets{*this};
  // A second pending operation.
  std::size_t ended = 0;
  const auto count = [&](error_code, const auto&...) { ++ended; };
  bool done = false;
  where.arrange(*this, sockets, [&, act = what.act] {
    act(*this, sockets);
    done = true;
  });
  std::size_t waiting = 0;
  for (int i = 0; i < 3 && sockets.router && sockets.dealer; ++i) {
    sockets.router->async_receive(count);
    sockets.dealer->async_receive(count);
    waiting += 2;
  }
  run_until([&] { return done; });
  sockets.dealer.reset();
  sockets.router.reset();
  run_to_the_end();
  EXPECT_EQ(ended, waiting);
}

INSTANTIATE_TEST_SUITE_P(deeds, end_of_sockets,
                         testing::Combine(testing::ValuesIn(places), testing::ValuesIn(deeds)),
                         [](const auto& tested) {
                           return std::string{std::get<1>(tested.param).name} + "_" +
                                  std::string{std::get<0>(tested.param).name};
                         });

using lifetime = network_test;

// The coroutine that the socket resumes is its only owner.
TEST_F(lifetime, a_coroutine_owns_its_socket) {
  router_socket router{executor(), announcing()};
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  message answer;
  const auto ask = [&]() -> asio::awaitable<void> {
    dealer_socket own{co_await asio::this_coro::executor};
    own.connect(at);
    message m{"question"};
    co_await own.async_send(std::move(m), asio::use_awaitable);
    answer = co_await own.async_receive(asio::use_awaitable);
  };
  asio::co_spawn(context(), ask, asio::detached);
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  auto question = receive(router);
  EXPECT_EQ(router.try_send(question.peer, std::move(question.content)), send_status::queued);
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  EXPECT_EQ(answer, message{"question"});
  router.close();
  run_to_the_end();
}

TEST_F(lifetime, operations_end_with_the_socket_but_not_within_its_destructor) {
  std::vector<error_code> ends;
  const auto note = [&](error_code ec, const auto&...) { ends.push_back(ec); };
  std::optional<dealer_socket> dealer{std::in_place, executor()};
  dealer->async_receive(note);
  dealer->async_send(message{"to nobody"}, note);
  dealer.reset();
  EXPECT_TRUE(ends.empty());
  dealer.emplace(executor());
  dealer->async_receive(note);
  *dealer = dealer_socket{executor()};
  EXPECT_TRUE(ends.empty());
  dealer->async_receive(note);
  dealer->close();
  EXPECT_TRUE(ends.empty());
  run_to_the_end();
  const error_code aborted = asio::error::operation_aborted;
  EXPECT_EQ(ends, (std::vector<error_code>{aborted, aborted, aborted, errc::socket_closed}));
}

TEST_F(lifetime, a_closed_socket_delivers_received_messages) {
  dealer_socket dealer{executor()};
  router_socket router{executor(), announcing()};
  const auto peer = join(dealer, router);
  EXPECT_EQ(router.try_send(peer, message{"came"}), send_status::queued);
  bool came = false;
  // The message has arrived when the one after it has arrived.
  EXPECT_EQ(router.try_send(peer, message{"too"}), send_status::queued);
  dealer.async_receive([&](error_code, const message&) { came = true; });
  run_until([&] { return came; });
  dealer.close();
  message m;
  EXPECT_TRUE(dealer.try_receive(m));
  EXPECT_EQ(m, message{"too"});
  EXPECT_FALSE(dealer.try_receive(m));
  error_code reason;
  dealer.async_receive([&](error_code ec, const message&) { reason = ec; });
  router.close();
  run_to_the_end();
  EXPECT_EQ(reason, errc::socket_closed);
}

TEST_F(lifetime, a_moved_socket_continues) {
  router_socket router{executor(), announcing()};
  dealer_socket first{executor()};
  const auto peer = join(first, router);
  message got;
  first.async_receive([&](error_code, message m) { got = std::move(m); });
  dealer_socket second{std::move(first)};
  EXPECT_EQ(router.try_send(peer, message{"moved"}), send_status::queued);
  run_until([&] { return !got.empty(); });
  EXPECT_EQ(second.try_send(message{"back"}), send_status::queued);
  EXPECT_EQ(receive(router).content, message{"back"});
}

}  // namespace
}  // namespace zmtp::test
