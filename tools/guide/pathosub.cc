// pathosub: subscribes to one of the thousand topics of pathopub, and waits for it.

#include "tools/guide/program.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <random>
#include <string>

namespace {

namespace asio = boost::asio;

struct settings {
  std::string connect = "tcp://localhost:5556";
  std::size_t topic = 0;
};

asio::awaitable<int> subscribe(const settings& is) {
  zmtp::sub_socket subscriber{co_await asio::this_coro::executor};
  const auto topic = fmt::format("{:03}", is.topic);
  subscriber.subscribe(topic);
  subscriber.connect(is.connect);
  for (;;) {
    const auto m = co_await subscriber.async_receive(asio::use_awaitable);
    if (m.size() != 2 || m.front() != topic) {
      fmt::print(stderr, "E: received a message that is not an update of topic {}\n", topic);
      co_return guide::exit_code::failed;
    }
    guide::say_line(m.back());
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  std::random_device device;
  is.topic = std::uniform_int_distribution<std::size_t>{0, 999}(device);
  guide::command_line line{"Pathological subscriber: prints the messages of one topic"};
  line.endpoint("endpoint", is.connect, "publisher, or last value cache, to connect to");
  line.number("--topic", is.topic, "topic to subscribe to; chosen at random from 1,000 by default",
              0);
  return guide::run(line, argc, argv, subscribe, is);
}
