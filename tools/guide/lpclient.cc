// lpclient: sends one number after the other to a server. Resends a number if there is no reply, and gives up after
// three attempts.

#include "tools/guide/program.h"
#include "zmtp/pattern/lazy_pirate_client.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

struct settings {
  std::string connect = "tcp://localhost:5555";
  std::chrono::milliseconds timeout = 2'500ms;
  std::size_t retries = 3;
  std::size_t count = 0;
};

asio::awaitable<int> ask(const settings& is) {
  guide::say("I: connecting to server...");
  std::string sequence;
  zmtp::lazy_pirate_handlers handlers;
  handlers.on_attempt = [&is](const zmtp::attempt_event& event, std::string_view) {
    if (event.what == zmtp::attempt_event::kind::no_answer && event.attempt < is.retries) {
      guide::say("W: no response from server, retrying...");
      guide::say("I: reconnecting to server...");
    }
  };
  handlers.accept = [&sequence](const zmtp::message& answer) {
    if (answer.front() != sequence) {
      guide::say("E: malformed reply from server: {}", answer.front());
      return false;
    }
    return true;
  };
  const auto executor = co_await asio::this_coro::executor;
  std::vector<std::string> servers(1, is.connect);
  const zmtp::lazy_pirate_options options{.timeout = is.timeout,
                                          .attempts = static_cast<unsigned>(is.retries)};
  zmtp::lazy_pirate_client client{executor, std::move(servers), options, std::move(handlers)};
  for (std::size_t number = 1; is.count == 0 || number <= is.count; ++number) {
    sequence = std::to_string(number);
    const auto token = asio::as_tuple(asio::use_awaitable);
    const auto [ec, answer] = co_await client.async_request(zmtp::message{sequence}, {}, token);
    if (ec == asio::error::operation_aborted) {
      break;
    }
    if (ec) {
      guide::say("E: server seems to be offline, abandoning");
      co_return guide::exit_code::failed;
    }
    guide::say("I: server replied OK ({})", answer.front());
  }
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Lazy Pirate client: resends a request if there is no reply"};
  line.endpoint("--connect", is.connect, "server, or pirate queue, to connect to");
  line.milliseconds("--timeout", is.timeout, "time to wait for a reply, per attempt");
  line.number("--retries", is.retries, "attempts before the client gives up");
  line.number("--count", is.count, "requests before the client exits; 0 means no limit", 0);
  return guide::run(line, argc, argv, ask, is);
}
