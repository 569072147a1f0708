// tripping: measures synchronous and asynchronous round trips of a client, through a broker, to a worker that echoes.

#include "tools/guide/program.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace {

using namespace boost::asio::experimental::awaitable_operators;
namespace asio = boost::asio;
using asio::use_awaitable;

struct settings {
  std::string frontend = "tcp://*:5555";
  std::string backend = "tcp://*:5556";
  std::string client = "tcp://localhost:5555";
  std::string worker = "tcp://localhost:5556";
  std::size_t synchronous = 10'000;
  std::size_t asynchronous = 100'000;
};

class stopwatch {
public:
  void say(std::size_t calls) const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    guide::say(" {:.0f} calls/second", static_cast<double>(calls) / spent.count());
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

asio::awaitable<void> send_all(zmtp::dealer_socket& client, std::size_t count) {
  zmtp::message_batch batch;
  for (std::size_t sent = 0; sent < count;) {
    while (batch.size() < std::min<std::size_t>(count - sent, 1'000)) {
      batch.append("hello");
    }
    sent += co_await client.async_send(batch, use_awaitable);
  }
}

asio::awaitable<void> receive_all(zmtp::dealer_socket& client, std::size_t count) {
  zmtp::message_batch batch;
  for (std::size_t received = 0; received < count;) {
    received += co_await client.async_receive(batch, use_awaitable);
  }
}

asio::awaitable<void> ask(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  zmtp::dealer_socket client{executor};
  client.connect(is.client);
  guide::say("Setting up test...");
  zmtp::message first{"hello"};
  co_await client.async_send(std::move(first), use_awaitable);
  co_await client.async_receive(use_awaitable);

  guide::say("Synchronous round-trip test...");
  const stopwatch one_by_one;
  for (std::size_t n = 0; n < is.synchronous; ++n) {
    zmtp::message m{"hello"};
    co_await client.async_send(std::move(m), use_awaitable);
    co_await client.async_receive(use_awaitable);
  }
  one_by_one.say(is.synchronous);

  guide::say("Asynchronous round-trip test...");
  const stopwatch together;
  co_await (send_all(client, is.asynchronous) && receive_all(client, is.asynchronous));
  together.say(is.asynchronous);
}

asio::awaitable<void> echo(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  zmtp::dealer_socket worker{executor};
  worker.connect(is.worker);
  for (zmtp::message_batch batch;;) {
    co_await worker.async_receive(batch, use_awaitable);
    co_await worker.async_send(batch, use_awaitable);
  }
}

asio::awaitable<int> trip(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  zmtp::dealer_socket frontend{executor};
  zmtp::dealer_socket backend{executor};
  frontend.bind(is.frontend);
  backend.bind(is.backend);
  zmtp::proxy broker{frontend, backend};
  co_await (ask(is) || echo(is) || broker.async_run(use_awaitable));
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{
      "Round-trip demonstrator: synchronous and asynchronous calls per second"};
  line.endpoint("--frontend", is.frontend, "endpoint that the broker binds, for the client");
  line.endpoint("--backend", is.backend, "endpoint that the broker binds, for the worker");
  line.endpoint("--client", is.client, "broker that the client connects to");
  line.endpoint("--worker", is.worker, "broker that the worker connects to");
  line.number("--synchronous", is.synchronous,
              "number of calls, each sent after the reply to the previous one");
  line.number("--asynchronous", is.asynchronous, "number of calls that do not wait for replies");
  return guide::run(line, argc, argv, trip, is);
}
