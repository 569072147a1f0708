// pathopub: a publisher whose late subscribers wait long for a message. Publishes a thousand topics at once, then one
// of them each second.

#include "tools/guide/program.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <random>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

constexpr int topics = 1'000;

struct settings {
  std::string bind = "tcp://*:5556";
  std::chrono::milliseconds before = 1s;
  std::chrono::milliseconds interval = 1s;
};

zmtp::message update(int topic, const char* text) { return {fmt::format("{:03}", topic), text}; }

zmtp::message_batch first_updates() {
  zmtp::message_batch all;
  for (int topic = 0; topic < topics; ++topic) {
    all.append(update(topic, "Save Roger"));
  }
  return all;
}

// The publisher sends the first updates of all topics at once. No connected subscriber may miss one of them.
zmtp::socket_options roomy() {
  zmtp::socket_options options;
  options.send_mark.messages = 10 * topics;
  return options;
}

asio::awaitable<void> update_for_ever(zmtp::pub_socket& publisher, const settings& is) {
  std::minstd_rand random{std::random_device{}()};
  std::uniform_int_distribution<int> any{0, topics - 1};
  for (;;) {
    co_await guide::pause(is.interval);
    // plain: off: the Guide's text.
    auto m = update(any(random), "Off with his head!");
    // plain: on
    co_await publisher.async_send(std::move(m), asio::use_awaitable);
  }
}

asio::awaitable<int> publish(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  zmtp::pub_socket publisher{executor, roomy()};
  publisher.bind(is.bind);
  co_await guide::pause(is.before);
  auto all = first_updates();
  co_await publisher.async_send(all, asio::use_awaitable);
  co_await update_for_ever(publisher, is);
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Pathological publisher: a thousand topics, then one each second"};
  line.endpoint("endpoint", is.bind, "endpoint to bind, for subscribers");
  line.milliseconds("--before", is.before,
                    "time before the first updates, in which subscribers connect", 0);
  line.milliseconds("--interval", is.interval, "time between updates");
  return guide::run(line, argc, argv, publish, is);
}
