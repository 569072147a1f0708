// bstarcli: sends one request a second to a Binary Star pair.

#include "bstar/client.h"
#include "tools/guide/program.h"

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
  std::string primary = "tcp://localhost:5001";
  std::string backup = "tcp://localhost:5002";
  std::chrono::milliseconds interval = 1s;
  bstar::client_options client;
};

asio::awaitable<int> ask(const settings& is) {
  guide::say("I: connecting to server at {}...", is.primary);
  std::string sequence;
  zmtp::lazy_pirate_handlers handlers;
  handlers.on_attempt = [](const zmtp::attempt_event& event, std::string_view server) {
    if (event.what == zmtp::attempt_event::kind::no_answer) {
      guide::say("W: no response from server, failing over");
    } else if (event.attempt > 1) {
      guide::say("I: connecting to server at {}...", server);
    }
  };
  handlers.accept = [&sequence](const zmtp::message& answer) {
    if (answer.back() != sequence) {
      guide::say("E: bad reply from server: {}", answer.back());
      return false;
    }
    return true;
  };
  const auto executor = co_await asio::this_coro::executor;
  std::vector<std::string> servers{is.primary, is.backup};
  bstar::client client{executor, std::move(servers), is.client, std::move(handlers)};
  for (std::size_t number = 1;; ++number) {
    sequence = std::to_string(number);
    zmtp::message body{sequence};
    co_await client.async_request(std::move(body), zmtp::deadline{}, asio::use_awaitable);
    guide::say("I: server replied OK ({})", sequence);
    co_await guide::pause(is.interval);
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Binary Star client: sends requests to the active server of a pair"};
  line.endpoint("--primary", is.primary, "endpoint of the primary server's voter");
  line.endpoint("--backup", is.backup, "endpoint of the backup server's voter");
  line.milliseconds("--interval", is.interval, "time between requests", 0);
  line.milliseconds("--timeout", is.client.timeout,
                    "time to wait for a reply before the client tries the other server");
  line.milliseconds("--settle", is.client.settle, "pause before the client tries the other server",
                    0);
  return guide::run(line, argc, argv, ask, is);
}
