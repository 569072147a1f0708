// espresso: prints the messages and subscriptions that pass a proxy between a publisher and a subscriber.

#include "tools/guide/dump.h"
#include "tools/guide/program.h"
#include "zmtp/pattern/last_value_cache.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <random>
#include <string>

namespace {

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;
namespace asio = boost::asio;

struct settings {
  std::string publisher = "tcp://*:6000";
  std::string frontend = "tcp://localhost:6000";
  std::string backend = "tcp://*:6001";
  std::string subscriber = "tcp://localhost:6001";
  std::chrono::milliseconds interval = 100ms;
  std::size_t count = 5;
  bool proxy_only = false;
};

asio::awaitable<void> publish(const settings& is) {
  zmtp::pub_socket publisher{co_await asio::this_coro::executor};
  publisher.bind(is.publisher);
  std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<int> letters{0, 9};
  std::uniform_int_distribution<int> numbers{0, 99'999};
  for (;;) {
    const auto letter = static_cast<char>('A' + letters(random));
    zmtp::message m{fmt::format("{}-{:05}", letter, numbers(random))};
    co_await publisher.async_send(std::move(m), asio::use_awaitable);
    co_await guide::pause(is.interval);
  }
}

asio::awaitable<void> subscribe(const settings& is) {
  {
    zmtp::sub_socket subscriber{co_await asio::this_coro::executor};
    subscriber.subscribe("A");
    subscriber.subscribe("B");
    subscriber.connect(is.subscriber);
    for (std::size_t n = 0; n < is.count; ++n) {
      co_await subscriber.async_receive(asio::use_awaitable);
    }
  }
  co_await guide::until_stopped();
}

asio::awaitable<int> trace(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  zmtp::xsub_socket frontend{executor};
  frontend.connect(is.frontend);
  zmtp::xpub_socket backend{executor};
  backend.bind(is.backend);
  zmtp::capture_listener listener{executor, guide::dump_frames};
  zmtp::proxy proxy{frontend, backend};
  proxy.capture_to(listener);
  if (is.proxy_only) {
    co_await proxy.async_run(asio::use_awaitable);
  } else {
    co_await (proxy.async_run(asio::use_awaitable) || publish(is) || subscribe(is));
  }
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Espresso: prints the messages and subscriptions that pass a proxy"};
  line.endpoint("--publisher", is.publisher, "endpoint that the publisher binds");
  line.endpoint("--frontend", is.frontend, "publisher that the proxy connects to");
  line.endpoint("--backend", is.backend, "endpoint that the proxy binds, for subscribers");
  line.endpoint("--subscriber", is.subscriber, "proxy that the subscriber connects to");
  line.milliseconds("--interval", is.interval, "time between messages");
  line.number("--count", is.count, "messages after which the subscriber disconnects");
  line.flag("--proxy-only", is.proxy_only,
            "run only the proxy; other processes publish and subscribe");
  return guide::run(line, argc, argv, trace, is);
}
