// bstarcli: asks a Binary Star pair, one request a second.

#include "bstar/client.h"
#include "tools/guide/program.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;
namespace asio = boost::asio;

struct settings {
  std::string primary = "tcp://localhost:5001";
  std::string backup = "tcp://localhost:5002";
  std::chrono::milliseconds interval = 1s;
  bstar::client_options client;
};

// Says when another server is asked.
asio::awaitable<void> watch(const bstar::client& client) {
  for (std::string before{client.server()};;) {
    co_await guide::pause(10ms);
    if (client.server() != before) {
      before = client.server();
      guide::say("W: no response from server, failing over");
      guide::say("I: connecting to server at {}...", before);
    }
  }
}

asio::awaitable<void> ask(bstar::client& client, const settings& is) {
  for (std::size_t number = 1;; ++number) {
    const auto text = std::to_string(number);
    zmtp::message body{text};
    const auto reply =
        co_await client.async_request(std::move(body), zmtp::deadline{}, asio::use_awaitable);
    if (reply.back() == text) {
      guide::say("I: server replied OK ({})", text);
    } else {
      guide::say("E: bad reply from server: {}", reply.back());
    }
    co_await guide::pause(is.interval);
  }
}

asio::awaitable<int> run(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  bstar::client client{executor, {is.primary, is.backup}, is.client};
  guide::say("I: connecting to server at {}...", is.primary);
  co_await (ask(client, is) || watch(client));
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Binary Star client: asks the server that answers, once a second"};
  line.endpoint("--primary", is.primary, "of the primary's voter");
  line.endpoint("--backup", is.backup, "of the backup's");
  line.milliseconds("--interval", is.interval, "between requests", 0);
  line.milliseconds("--timeout", is.client.timeout, "until the other one is asked");
  line.milliseconds("--settle", is.client.settle, "that the pair has before that", 0);
  return guide::run(line, argc, argv, run, is);
}
