// lvcache: a cache between pathopub and pathosub. A late subscriber gets the last message of its topic at once.

#include "tools/guide/program.h"
#include "tools/zinc/printable.h"
#include "zmtp/pattern/last_value_cache.h"

#include <boost/asio/this_coro.hpp>

#include <string>
#include <string_view>

namespace {

namespace asio = boost::asio;

struct settings {
  std::string connect = "tcp://localhost:5557";
  std::string bind = "tcp://*:5558";
  zmtp::last_value_limits limit;
  bool prefixes = false;
};

void tell(std::string_view topic, bool known) {
  if (known) {
    guide::say("Sending cached topic {}", zinc::printable(topic));
  }
}

asio::awaitable<int> remember(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  using enum zmtp::xpub_options::matching;
  zmtp::last_value_cache cache{
      executor, {.limit = is.limit, .matching = is.prefixes ? prefix : topic}, tell};
  cache.bind(is.bind);
  cache.connect(is.connect);
  co_await guide::until_stopped();
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{
      "Last value cache: sends new subscribers the last message of their topic"};
  line.endpoint("--connect", is.connect, "publisher to connect to");
  line.endpoint("--bind", is.bind, "endpoint to bind, for subscribers");
  line.flag(
      "--prefixes", is.prefixes,
      "send a new subscriber the last messages of all topics that start with its subscription");
  line.number("--topics", is.limit.topics, "maximum number of stored topics");
  line.number("--bytes", is.limit.bytes, "maximum size of all stored messages");
  return guide::run(line, argc, argv, remember, is);
}
