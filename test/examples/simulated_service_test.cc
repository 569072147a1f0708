// A test of a service and its client in a simulation. Kills, pauses and cuts hit the server, and
// the client still gets an answer to each request.

#include "zmtp/pattern/lazy_pirate_client.h"
#include "zmtp/simulation/world.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// The program under test: nothing in it knows of the simulation.

asio::awaitable<void> serve() {
  zmtp::rep_socket socket{co_await asio::this_coro::executor};
  socket.bind("tcp://*:5555");
  for (;;) {
    auto request = co_await socket.async_receive(asio::use_awaitable);
    co_await socket.async_send(std::move(request), asio::use_awaitable);
  }
}

asio::awaitable<void> ask(int count, int& answered) {
  const std::vector<std::string> servers{"tcp://server:5555"};
  // With co_await in the expression that makes the options, GCC 12 would free their strings twice.
  const auto executor = co_await asio::this_coro::executor;
  zmtp::lazy_pirate_client client{executor, servers, {.timeout = 500ms, .attempts = {}}};
  for (int n = 0; n < count; ++n) {
    const auto reply =
        co_await client.async_request(zmtp::message{std::to_string(n)}, {}, asio::use_awaitable);
    EXPECT_EQ(reply.front(), std::to_string(n));
    ++answered;
  }
}

// The test.

class service : public testing::TestWithParam<std::uint64_t> {};

TEST_P(service, answers_each_request_whatever_happens_to_the_server) {
  namespace simulation = zmtp::simulation;
  simulation::world world{GetParam()};
  // Prints the events of a seed that is run alone.
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 1) {
    world.net().here().notes.print_to([](std::string_view line) { std::cout << line << '\n'; });
  }
  auto& server = world.add("server");
  auto& client = world.add("client");
  int answered = 0;
  server.run(serve);
  client.run([&answered] { return ask(1'000, answered); });
  while (answered < 1'000 && world.now().time_since_epoch() < 5h) {
    world.run_for(world.random().up_to(200ms));
    switch (world.random().pick(4)) {
      case 0:
        server.kill(simulation::death::process);
        server.run(serve);
        break;
      case 1:
        server.kill(simulation::death::power);
        server.run(serve);
        break;
      case 2:
        server.pause();
        world.after(300ms, [&server] { server.resume(); });
        break;
      default:
        world.net().part(client.machine(), server.machine());
        world.after(300ms, [&] { world.net().rejoin(client.machine(), server.machine()); });
    }
  }
  EXPECT_EQ(answered, 1'000);
}

INSTANTIATE_TEST_SUITE_P(seed, service, testing::Range<std::uint64_t>(1, 51),
                         testing::PrintToStringParamName());
