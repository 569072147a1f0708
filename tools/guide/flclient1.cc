// flclient1: Freelance client, model one: tries each server once, or a single server three times.

#include "tools/guide/program.h"
#include "zmtp/pattern/lazy_pirate_client.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
namespace asio = boost::asio;

struct settings {
  std::vector<std::string> servers;
  std::chrono::milliseconds timeout = 1s;
  std::size_t retries = 3;
};

asio::awaitable<int> ask(const settings& is) {
  const bool one = is.servers.size() == 1;
  zmtp::lazy_pirate_handlers handlers;
  handlers.on_attempt = [one](const zmtp::attempt_event& event, std::string_view server) {
    switch (event.what) {
      case zmtp::attempt_event::kind::asking:
        guide::say("I: trying echo service at {}...", server);
        break;
      case zmtp::attempt_event::kind::no_answer:
        guide::say("W: no response from {}{}", server, one ? ", retrying..." : "");
        break;
    }
  };
  const auto executor = co_await asio::this_coro::executor;
  const auto attempts = one ? is.retries : is.servers.size();
  const zmtp::lazy_pirate_options options{.timeout = is.timeout,
                                          .attempts = static_cast<unsigned>(attempts)};
  zmtp::lazy_pirate_client client{executor, is.servers, options, std::move(handlers)};
  zmtp::message request{"Hello world"sv};
  const auto token = asio::as_tuple(asio::use_awaitable);
  const auto [ec, answer] = co_await client.async_request(std::move(request), {}, token);
  if (ec) {
    co_return guide::exit_code::failed;
  }
  guide::say("Service is running OK");
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Freelance client, model one: tries servers until one answers"};
  line.endpoints("endpoint", is.servers, "server to connect to; repeatable");
  line.milliseconds("--timeout", is.timeout, "time to wait for a reply, per attempt");
  line.number("--retries", is.retries, "attempts if only one server is given");
  if (argc == 1) {
    guide::say("I: syntax: {} <endpoint> ...", argv[0]);
    return guide::exit_code::done;
  }
  return guide::run(line, argc, argv, ask, is);
}
