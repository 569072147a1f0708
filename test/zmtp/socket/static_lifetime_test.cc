// Sockets with static lifetime, made before the first use of anything of the process that they share: at exit
// they are destroyed after every static object of the library.

#include "test/support/meeting.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/blocking/socket.h"
#include "zmtp/socket/memory_budget.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

constexpr int exit_status = 7;
constexpr auto timeout = 20s;

// Written after the destruction of an object with static lifetime.
class farewell {
public:
  farewell() = default;
  farewell(const farewell&) = delete;
  farewell& operator=(const farewell&) = delete;
  ~farewell() { std::fputs("destroyed\n", stderr); }
};

// A world is destroyed at exit, after every static object inside of a function.
template <class World>
std::optional<World> standing;

template <class World>
void leave() {
  standing<World>.emplace();
  standing<World>->begin();
  std::exit(exit_status);
}

// In a destructor at exit no test can fail.
void require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "not %s\n", what);
    ::_exit(1);
  }
}

template <class Done>
void run_until(asio::io_context& context, Done&& done, const char* what) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  context.restart();
  while (!done()) {
    require(context.run_one_until(end) != 0, what);
  }
}

#define EXPECT_CLEAN_EXIT(world) \
  EXPECT_EXIT(leave<world>(), testing::ExitedWithCode(exit_status), "^destroyed\n$")

struct inproc_sockets {
  void begin() {
    router.bind("inproc://a");
    dealer.connect("inproc://a");
    waiting.connect("inproc://nobody");
    run_until(
        context, [&] { return dealer.peers().size() == 1; }, "attached");
    require(dealer.try_send(message{"m"}) == send_status::queued, "queued");
    require(waiting.try_send(message{"m"}) == send_status::queued, "queued");
  }

  farewell last;
  asio::io_context context{1};
  router_socket router{context.get_executor()};
  dealer_socket dealer{context.get_executor()};
  dealer_socket waiting{context.get_executor()};
};

struct partial_message {
  void begin() {
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    peer.shake_hands("DEALER");
    constexpr std::size_t size = 1024 * 1024;
    peer.send(frame_header(long_size, size) + std::string(size / 2, 'x'));
    run_until(
        context, [] { return process_memory_use().partial_messages != 0; },
        "counted as incomplete");
  }

  farewell last;
  asio::io_context context{1};
  router_socket router{context.get_executor()};
  raw_peer peer{context};
};

struct monitored_sockets {
  void begin() {
    watched.async_receive([](error_code, const monitor_event&) {});
    dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
    run_until(
        context, [&] { return dealer.peers().size() == 1; }, "attached");
  }

  farewell last;
  asio::io_context context{1};
  router_socket router{context.get_executor()};
  dealer_socket dealer{context.get_executor()};
  monitor watched = dealer.monitor();
  monitor unread = dealer.monitor(1);
};

struct sockets_that_outlive_their_context {
  void begin() {
    router->bind("inproc://b");
    dealer->connect("inproc://b");
    dealer->connect("inproc://nobody");
    peer->connect(router->bind("tcp://127.0.0.1:*"));
    peer->shake_hands("DEALER");
    constexpr std::size_t size = 1024 * 1024;
    peer->send(frame_header(long_size, size) + std::string(size / 2, 'x'));
    run_until(
        *context, [] { return process_memory_use().partial_messages != 0; },
        "counted as incomplete");
    require(dealer->try_send(message{"m"}) == send_status::queued, "queued");
  }
  ~sockets_that_outlive_their_context() {
    peer.reset();
    context.reset();
  }

  farewell last;
  std::optional<asio::io_context> context{std::in_place, 1};
  std::optional<router_socket> router{context->get_executor()};
  std::optional<dealer_socket> dealer{context->get_executor()};
  std::optional<raw_peer> peer{*context};
};

struct blocking_sockets {
  void begin() {
    dealer.connect(router.bind("inproc://c").to_string());
    dealer.send(message{"m"});
    require(router.receive().content == message{"m"}, "received");
    dealer.send(message{"m"});
  }

  farewell last;
  blocking::context context;
  blocking::router_socket router{context};
  blocking::dealer_socket dealer{context};
};

// A world that still sends, and runs its context, while it is destroyed.
template <medium Over>
struct sockets_that_still_run {
  void begin() {
    dealer.connect(router.bind(free_endpoint(Over)).to_string());
    run_until(
        context, [&] { return dealer.peers().size() == 1; }, "attached");
    require(dealer.try_send(message{"before"}) == send_status::queued, "queued");
    run_until(
        context, [&] { return router.try_receive(item); }, "received");
  }
  ~sockets_that_still_run() {
    require(dealer.try_send(message{"at exit"}) == send_status::queued, "queued");
    dealer.close();
    run_until(
        context, [&] { return router.try_receive(item); }, "received at exit");
    require(item.content == message{"at exit"}, "the message");
    router.close();
    context.restart();
    context.run_for(timeout);
    require(context.stopped(), "done");
  }

  farewell last;
  asio::io_context context{1};
  router_socket router{context.get_executor()};
  dealer_socket dealer{context.get_executor()};
  routed_message item;
};

using tcp_sockets_that_still_run = sockets_that_still_run<medium::tcp>;
using inproc_sockets_that_still_run = sockets_that_still_run<medium::inproc>;

TEST(static_lifetime, inproc_sockets_end_at_exit) { EXPECT_CLEAN_EXIT(inproc_sockets); }

TEST(static_lifetime, a_partial_message_ends_at_exit) { EXPECT_CLEAN_EXIT(partial_message); }

TEST(static_lifetime, monitors_end_at_exit) { EXPECT_CLEAN_EXIT(monitored_sockets); }

TEST(static_lifetime, sockets_end_at_exit_after_their_context) {
  EXPECT_CLEAN_EXIT(sockets_that_outlive_their_context);
}

TEST(static_lifetime, blocking_sockets_end_at_exit) { EXPECT_CLEAN_EXIT(blocking_sockets); }

TEST(static_lifetime, sockets_over_tcp_work_until_they_are_destroyed_at_exit) {
  EXPECT_CLEAN_EXIT(tcp_sockets_that_still_run);
}

TEST(static_lifetime, sockets_over_inproc_work_until_they_are_destroyed_at_exit) {
  EXPECT_CLEAN_EXIT(inproc_sockets_that_still_run);
}

}  // namespace
}  // namespace zmtp::test
