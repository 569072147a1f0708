// The shells of the Guide's patterns in a simulation, each in its own process, while processes are
// killed and paused and the network is cut.
#include "test/zmtp/pattern/troubled_world.h"
#include "zmtp/pattern/freelance_client.h"
#include "zmtp/pattern/freelance_server.h"
#include "zmtp/pattern/last_value_cache.h"
#include "zmtp/pattern/lazy_pirate_client.h"
#include "zmtp/pattern/pirate_queue.h"
#include "zmtp/pattern/pirate_worker.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using simulation::troubled_world;

constexpr std::uint64_t seeds = 50;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

// A program of one component.
template <class Component, class... Arguments>
simulation::process::program program_of(Arguments... arguments) {
  return [=](asio::any_io_executor executor) {
    return std::make_shared<Component>(std::move(executor), arguments...);
  };
}

// The results of calls to a service, and the executions of its servers. Each call has its own text.
struct service_history {
  struct call {
    boost::system::error_code told;
    bool ended = false;
    int executed = 0;
  };

  void on_executed(const std::string& text) { ++calls[text].executed; }
  void on_end(const std::string& text, boost::system::error_code ec, const message& answer) {
    auto& c = calls[text];
    c.told = ec;
    c.ended = true;
    if (!ec) {
      EXPECT_EQ(answer.front(), text + " done");
      EXPECT_GT(c.executed, 0) << text;
    } else if (ec == call_errc::not_sent) {
      EXPECT_EQ(c.executed, 0) << text;
    } else {
      EXPECT_EQ(ec, call_errc::no_answer) << text;
    }
  }

  std::map<std::string, call> calls;
};

// A client that calls one text after the other until it is told to stop.
struct caller {
  using ask = std::function<asio::awaitable<std::tuple<boost::system::error_code, message>>(
      const std::string&)>;

  asio::awaitable<void> run(ask ask_for) {
    const auto executor = co_await asio::this_coro::executor;
    auto& clock = runtime::of(executor);
    timer pause{executor};
    while (!stops) {
      pause.expires_after(20ms);
      co_await pause.async_wait(asio::use_awaitable);
      const auto text = name + "-" + std::to_string(count++);
      const auto began = clock.now();
      auto [ec, answer] = co_await ask_for(text);
      const auto took = clock.now() - began;
      longest = std::max(longest, took);
      history->on_end(text, ec, answer);
      in_a_row = ec ? 0 : in_a_row + 1;
    }
    ended = true;
  }

  service_history* history;
  std::string name;
  int count = 0;
  int in_a_row = 0;  // calls with an answer since the last one without
  std::chrono::nanoseconds longest{};
  bool stops = false;
  bool ended = false;
};

// A program that holds a client and calls with it.
template <class Client>
simulation::process::program calling_program(
    caller& by, std::function<std::shared_ptr<Client>(asio::any_io_executor)> make,
    std::function<asio::awaitable<std::tuple<boost::system::error_code, message>>(
        Client&, const std::string&)>
        call) {
  return [&by, make, call](asio::any_io_executor executor) {
    auto client = make(executor);
    auto ask = [client, call](const std::string& text) { return call(*client, text); };
    asio::co_spawn(executor, by.run(ask), [](std::exception_ptr e) {
      if (e) {
        std::rethrow_exception(e);
      }
    });
    return std::static_pointer_cast<void>(client);
  };
}

// Each call must end, soon after the last fault with an answer.
void finish(troubled_world& world, std::vector<caller>& callers) {
  const auto all = [&](auto&& holds) { return std::all_of(callers.begin(), callers.end(), holds); };
  EXPECT_TRUE(world.here().run_until(
      [&] { return all([](const caller& c) { return c.in_a_row >= 3; }); }, 30s))
      << "service does not come back";
  for (auto& c : callers) {
    c.stops = true;
  }
  EXPECT_TRUE(
      world.here().run_until([&] { return all([](const caller& c) { return c.ended; }); }, 60s));
}

TEST(pattern_simulation, pirates_answer_each_request_with_its_own_reply) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    troubled_world world{seed};
    service_history history;
    world.add("queue", [](asio::any_io_executor executor) {
      auto queue = std::make_shared<pirate_queue>(std::move(executor));
      queue->bind_clients("tcp://*:5555");
      queue->bind_workers("tcp://*:5556");
      return queue;
    });
    for (int i = 0; i < 3; ++i) {
      world.add("worker" + std::to_string(i),
                program_of<pirate_worker>("tcp://queue:5556", pirate_worker_options{},
                                          [&history](held_request request) {
                                            const std::string text{request.body().front()};
                                            history.on_executed(text);
                                            (void)request.reply(message{text + " done"});
                                          }));
    }
    std::vector<caller> callers{{.history = &history, .name = "a"},
                                {.history = &history, .name = "b"}};
    for (auto& c : callers) {
      world.add_client(c.name, calling_program<lazy_pirate_client>(
                                   c,
                                   [](asio::any_io_executor executor) {
                                     return std::make_shared<lazy_pirate_client>(
                                         std::move(executor),
                                         std::vector<std::string>{"tcp://queue:5555"},
                                         lazy_pirate_options{.timeout = 1s, .attempts = 3});
                                   },
                                   [](lazy_pirate_client& client, const std::string& text) {
                                     return client.async_request(message{text}, {}, as_result);
                                   }));
    }
    world.trouble_for(30s);
    finish(world, callers);
    for (const auto& c : callers) {
      EXPECT_LT(c.longest, 3s + 100ms);
    }
    for (const auto& [text, call] : history.calls) {
      EXPECT_LE(call.executed, 3) << text << ": more often than there are attempts";
    }
  }
}

TEST(pattern_simulation, freelance_calls_end_with_their_own_answer) {
  const std::vector<std::string> endpoints{"tcp://server0:5555", "tcp://server1:5555",
                                           "tcp://server2:5555"};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    troubled_world world{seed};
    service_history history;
    for (int i = 0; i < 3; ++i) {
      const auto identity = endpoints[static_cast<std::size_t>(i)];
      world.add("server" + std::to_string(i), [&history, identity](asio::any_io_executor executor) {
        auto server = std::make_shared<freelance_server>(
            std::move(executor), identity, freelance_server_options{},
            [&history](held_request request) {
              const std::string text{request.body().front()};
              history.on_executed(text);
              (void)request.reply(message{text + " done"});
            });
        server->bind("tcp://*:5555");
        return server;
      });
    }
    std::vector<caller> callers{{.history = &history, .name = "repeats"},
                                {.history = &history, .name = "once"}};
    for (auto& c : callers) {
      const bool idempotent = c.name == "repeats";
      world.add_client(c.name, calling_program<freelance_client>(
                                   c,
                                   [&endpoints](asio::any_io_executor executor) {
                                     return std::make_shared<freelance_client>(std::move(executor),
                                                                               endpoints);
                                   },
                                   [idempotent](freelance_client& client, const std::string& text) {
                                     return client.async_call(
                                         message{text}, {.idempotent = idempotent}, as_result);
                                   }));
    }
    world.trouble_for(30s);
    finish(world, callers);
    for (const auto& c : callers) {
      EXPECT_LT(c.longest, 3s + 100ms);
    }
    for (const auto& [text, call] : history.calls) {
      const bool once = text.starts_with("once");
      EXPECT_LE(call.executed, once ? 1 : 3) << text;
    }
  }
}

asio::awaitable<void> publish(pub_socket socket, int& round, bool& publishes) {
  timer pause{co_await asio::this_coro::executor};
  for (;;) {
    if (publishes) {
      ++round;
      for (int topic = 0; topic < 5; ++topic) {
        co_await socket.async_send(message{"topic" + std::to_string(topic), std::to_string(round)},
                                   asio::use_awaitable);
      }
    }
    pause.expires_after(50ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> follow(sub_socket socket, std::map<std::string, int>& seen) {
  for (;;) {
    const auto m = co_await socket.async_receive(asio::use_awaitable);
    auto& last = seen[std::string{m.front()}];
    const int round = std::stoi(std::string{m[1]});
    // A cache that starts again has nothing to send that is older than what it has forwarded.
    EXPECT_GE(round, last) << m.front();
    last = round;
  }
}

// A subscriber that connects after the last publication has the last value of each topic.
TEST(pattern_simulation, a_late_subscriber_gets_the_last_values) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    troubled_world world{seed};
    int round = 0;
    bool publishes = true;
    world.add("cache", [](asio::any_io_executor executor) {
      auto cache = std::make_shared<last_value_cache>(
          executor, last_value_cache_options{.matching = xpub_options::matching::prefix});
      cache->connect("tcp://publisher:5556");
      cache->bind("tcp://*:5557");
      return cache;
    });
    world.add_client("publisher", [&](asio::any_io_executor executor) {
      pub_socket socket{executor};
      socket.bind("tcp://*:5556");
      asio::co_spawn(executor, publish(std::move(socket), round, publishes), asio::detached);
      return std::shared_ptr<void>{};
    });
    std::map<std::string, int> early;
    std::map<std::string, int> late;
    const auto subscriber = [](std::map<std::string, int>& seen) {
      return [&seen](asio::any_io_executor executor) {
        sub_socket socket{executor};
        socket.connect("tcp://cache:5557");
        socket.subscribe("");
        asio::co_spawn(executor, follow(std::move(socket), seen), asio::detached);
        return std::shared_ptr<void>{};
      };
    };
    world.add_client("early", subscriber(early));
    world.trouble_for(20s);
    world.here().run_for(40s);  // longer than the longest detection of a dead connection
    publishes = false;
    world.here().run_for(1s);
    world.add_client("late", subscriber(late));
    world.here().run_for(5s);
    for (int topic = 0; topic < 5; ++topic) {
      EXPECT_EQ(early["topic" + std::to_string(topic)], round);
      EXPECT_EQ(late["topic" + std::to_string(topic)], round);
    }
  }
}

}  // namespace
}  // namespace zmtp
