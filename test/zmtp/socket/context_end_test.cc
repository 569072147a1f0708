// A context goes, or sockets go, while something is pending. Nothing may leak, be called or be
// touched afterwards; what a sanitizer does not see is asserted.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <memory>
#include <ostream>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view unused_endpoint = "tcp://127.0.0.1:1";
constexpr std::size_t large = 1024 * 1024;

socket_options for_router() {
  auto options = announcing();
  options.mandatory = true;
  options.send_mark.messages = 1;
  return options;
}

// Sockets with pending operations. `ends` is shared with their handlers.
struct situation {
  explicit situation(network_test& test)
      : dealer{std::in_place, test.executor()},
        router{std::in_place, test.executor(), for_router()} {}

  auto handler() {
    return [ends = ends](error_code ec, const auto&...) { ends->push_back(ec); };
  }

  std::optional<dealer_socket> dealer;
  std::optional<router_socket> router;
  std::unique_ptr<raw_peer> peer;
  std::unique_ptr<raw_listener> listener;
  std::shared_ptr<std::vector<error_code>> ends = std::make_shared<std::vector<error_code>>();
  message_batch batch;
  message_batch routed;
};

// A peer of the router that has finished its handshake and reads nothing; its queue is full.
peer_id full_peer(network_test& test, situation& s) {
  s.peer = std::make_unique<raw_peer>(test.context());
  s.peer->connect(s.router->bind("tcp://127.0.0.1:*"));
  s.peer->shake_hands("DEALER");
  const auto id = test.receive(*s.router).peer;
  while (s.router->try_send(id, message{std::string(large, 'x')}) == send_status::queued) {
  }
  return id;
}

struct pending_thing {
  std::string_view name;
  std::size_t operations;  // how many handlers it has
  std::function<void(network_test&, situation&)> begin;
};

std::ostream& operator<<(std::ostream& to, const pending_thing& thing) { return to << thing.name; }

const pending_thing things[] = {
    {"receiving", 3,
     [](network_test&, situation& s) {
       s.dealer->async_receive(s.handler());
       s.dealer->async_receive(deadline{1h}, s.handler());
       s.router->async_receive(s.handler());
     }},
    {"receiving_batches", 2,
     [](network_test&, situation& s) {
       s.dealer->async_receive(s.batch, s.handler());
       s.router->async_receive(s.routed, s.handler());
     }},
    {"sending_without_a_peer", 2,
     [](network_test&, situation& s) {
       s.dealer->async_send(message{"to unused_endpoint"}, s.handler());
       s.batch.append("to unused_endpoint");
       s.dealer->async_send(s.batch, deadline{1h}, s.handler());
     }},
    {"sending_to_a_full_peer", 2,
     [](network_test& test, situation& s) {
       const auto id = full_peer(test, s);
       s.router->async_send(id, message{"waits"}, s.handler());
       s.router->async_wait_writable(id, s.handler());
     }},
    {"completed_but_not_told", 2,
     [](network_test&, situation& s) {
       s.dealer->connect(unused_endpoint);
       s.dealer->async_send(message{"queued"}, s.handler());
       s.dealer->close();
       s.dealer->async_receive(s.handler());
     }},
    {"connecting", 0, [](network_test&, situation& s) { s.dealer->connect(unused_endpoint); }},
    {"waiting_to_connect_again", 0,
     [](network_test& test, situation& s) {
       s.dealer->connect(unused_endpoint);
       test.run_ready();
       test.run_ready();
     }},
    {"resolving", 0,
     // A name to this library and an address to every resolver.
     [](network_test&, situation& s) { s.dealer->connect("tcp://0x7f000001:1"); }},
    {"accepting", 0,
     [](network_test& test, situation& s) {
       s.router->bind("tcp://127.0.0.1:*");
       test.run_ready();
     }},
    {"accepted_in_the_kernel", 0,
     [](network_test& test, situation& s) {
       s.peer = std::make_unique<raw_peer>(test.context());
       s.peer->connect(s.router->bind("tcp://127.0.0.1:*"));
       s.peer->shake_hands("DEALER");
     }},
    {"half_a_handshake_accepted", 0,
     [](network_test& test, situation& s) {
       s.peer = std::make_unique<raw_peer>(test.context());
       s.peer->connect(s.router->bind("tcp://127.0.0.1:*"));
       s.peer->send(greeting_of(3, 1).substr(0, 40));
       test.run_ready();
       test.run_ready();
     }},
    {"half_a_handshake_connected", 0,
     [](network_test& test, situation& s) {
       s.listener = std::make_unique<raw_listener>(test.context());
       s.peer = std::make_unique<raw_peer>(test.context());
       s.listener->start_accepting(*s.peer);
       s.dealer->connect(s.listener->endpoint());
       test.run_until([&] { return s.listener->accepted(); });
       s.peer->send(greeting_of(3, 1));
       test.run_ready();
     }},
    {"lingering", 0,
     [](network_test& test, situation& s) {
       s.dealer->connect(unused_endpoint);
       EXPECT_EQ(s.dealer->try_send(message{"for unused_endpoint"}), send_status::queued);
       s.dealer->close(1h);
       test.run_ready();
     }},
    {"lingering_for_ever", 0,
     [](network_test& test, situation& s) {
       socket_options options;
       options.linger.reset();
       s.dealer.emplace(test.executor(), options);
       s.dealer->connect(unused_endpoint);
       EXPECT_EQ(s.dealer->try_send(message{"for unused_endpoint"}), send_status::queued);
       s.dealer->close();
     }},
    {"lingering_for_a_full_peer", 0,
     [](network_test& test, situation& s) {
       static_cast<void>(full_peer(test, s));
       s.router->close(1h);
       test.run_ready();
     }},
    {"flush_that_was_posted", 0,
     [](network_test& test, situation& s) {
       static_cast<void>(test.join(*s.dealer, *s.router));
       EXPECT_EQ(s.dealer->try_send(message{"not written"}), send_status::queued);
     }},
    {"messages_not_received", 0,
     [](network_test& test, situation& s) {
       const auto id = test.join(*s.dealer, *s.router);
       EXPECT_EQ(s.router->try_send(id, message{std::string(large, 'x')}), send_status::queued);
       EXPECT_EQ(s.dealer->try_send(message{std::string(large, 'x')}), send_status::queued);
       test.run_ready();
     }},
};

class context_end : public network_test, public testing::WithParamInterface<pending_thing> {
protected:
  void SetUp() override {
    here_.emplace(*this);
    GetParam().begin(*this, *here_);
    before_ = here_->ends->size();
  }
  void destroy_sockets() {
    const auto ends = here_->ends;
    here_.reset();
    EXPECT_EQ(ends->size(), before_) << "a handler ran inside a destructor";
  }

  std::optional<situation> here_;
  std::size_t before_ = 0;
};

TEST_P(context_end, ends_pending_operations) {
  const auto ends = here_->ends;
  here_->peer.reset();
  here_->listener.reset();
  destroy_context();
  EXPECT_EQ(ends->size(), before_);
  EXPECT_EQ(ends.use_count(), 2) << "a handler has outlived the context";
  // Sockets may outlive it: all is closed, nothing is touched.
  EXPECT_FALSE(here_->dealer->is_open());
  EXPECT_FALSE(here_->router->is_open());
  message m;
  routed_message item;
  while (here_->dealer->try_receive(m) || here_->router->try_receive(item)) {
  }
  EXPECT_EQ(here_->dealer->try_send(message{"late"}), send_status::closed);
  EXPECT_EQ(here_->router->try_send(item.peer, message{"late"}), send_status::closed);
  here_->router->disconnect(item.peer);
  here_->router->resume(item.peer);
  error_code ec;
  here_->dealer->connect(unused_endpoint, ec);
  EXPECT_EQ(ec, errc::socket_closed);
  here_->dealer->bind("tcp://127.0.0.1:*", ec);
  EXPECT_EQ(ec, errc::socket_closed);
  here_->dealer->close();
}

TEST_P(context_end, takes_a_coroutine_that_owns_the_sockets) {
  const auto ends = here_->ends;
  here_->peer.reset();
  here_->listener.reset();
  auto own = [](situation mine) -> asio::awaitable<void> {
    asio::steady_timer never{co_await asio::this_coro::executor, 24h};
    co_await never.async_wait(asio::use_awaitable);
    mine.dealer.reset();
  };
  // The socket that it waits for goes last, then the one beside it.
  auto wait = [](situation mine, std::shared_ptr<void> guard) -> asio::awaitable<void> {
    dealer_socket other{co_await asio::this_coro::executor};
    co_await other.async_receive(asio::use_awaitable);
    guard.reset();
    mine.dealer.reset();
  };
  situation second{*this};
  second.ends = ends;
  asio::co_spawn(context(), own(std::move(*here_)), asio::detached);
  asio::co_spawn(context(), wait(std::move(second), ends), asio::detached);
  here_.reset();
  run_ready();
  destroy_context();
  EXPECT_EQ(ends.use_count(), 1);
}

TEST_P(context_end, comes_after_the_sockets_without_a_run) {
  const auto ends = here_->ends;
  destroy_sockets();
  destroy_context();
  EXPECT_EQ(ends->size(), before_);
  EXPECT_EQ(ends.use_count(), 1);
}

TEST_P(context_end, comes_after_a_stop) {
  const auto ends = here_->ends;
  context().stop();
  destroy_sockets();
  here_.reset();
  destroy_context();
  EXPECT_EQ(ends.use_count(), 1);
}

TEST_P(context_end, is_not_needed_to_end_operations) {
  const auto ends = here_->ends;
  here_->dealer.reset();
  here_->router.reset();
  EXPECT_EQ(ends->size(), before_) << "a handler ran inside a destructor";
  run_ready();
  ASSERT_EQ(ends->size(), GetParam().operations);
  EXPECT_EQ(ends.use_count(), 2);
  if (GetParam().name == "completed_but_not_told") {
    EXPECT_EQ(ends->at(0), error_code{});
    EXPECT_EQ(ends->at(1), errc::socket_closed);
    return;
  }
  for (const auto& ec : *ends) {
    EXPECT_EQ(ec, asio::error::operation_aborted);
  }
}

INSTANTIATE_TEST_SUITE_P(pending, context_end, testing::ValuesIn(things),
                         [](const auto& tested) { return std::string{tested.param.name}; });

}  // namespace
}  // namespace zmtp::test
