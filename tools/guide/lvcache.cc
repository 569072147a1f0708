// lvcache: between pathopub and pathosub, so that who comes late need not wait.

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
  guide::command_line line{"Last value cache: new subscribers have the last message of each topic"};
  line.endpoint("--connect", is.connect, "of the publisher");
  line.endpoint("--bind", is.bind, "where subscribers come");
  line.flag("--prefixes", is.prefixes,
            "who subscribes to how topics begin has the last message of each of them");
  line.number("--topics", is.limit.topics, "that are kept at most");
  line.number("--bytes", is.limit.bytes, "of all that is kept, at most");
  return guide::run(line, argc, argv, remember, is);
}
