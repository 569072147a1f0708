// flclient3: Freelance client, model three (10/FLP): calls one server, and the next one if that is unresponsive.

#include "tools/guide/freelance_calls.h"

namespace {

boost::asio::awaitable<int> ask(const guide::call_settings& is) {
  for (const auto& server : is.servers) {
    guide::say("I: connecting to {}...", server);
  }
  return guide::ask_freelance(is);
}

}  // namespace

int main(int argc, char** argv) {
  guide::call_settings is;
  is.options.model = zmtp::freelance_model::directed;
  is.servers = {"tcp://localhost:5555", "tcp://localhost:5556", "tcp://localhost:5557"};
  guide::command_line line{"Freelance client, model three (10/FLP): calls one responsive server"};
  line.endpoints("--connect", is.servers, "server to connect to; repeatable");
  line.milliseconds("--timeout", is.options.timeout, "time to wait for a reply");
  line.milliseconds("--ping", is.options.ping_interval,
                    "time without a message before the client sends a server a PING");
  line.milliseconds("--ping-timeout", is.options.ping_timeout,
                    "time without a message before a server with a pending request gets a PING, "
                    "and time to wait for its PONG");
  line.number("--count", is.count, "number of requests");
  return guide::run(line, argc, argv, ask, is);
}
