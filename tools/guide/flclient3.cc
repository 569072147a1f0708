// flclient3: Freelance client, model three (10/FLP): asks one server, and the next when that is silent.

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
  guide::command_line line{"Freelance client, model three (10/FLP): asks the server that is alive"};
  line.endpoints("--connect", is.servers, "of the servers");
  line.milliseconds("--timeout", is.options.timeout, "of a question");
  line.milliseconds("--ping", is.options.ping_interval, "between PINGs to a server that is silent");
  line.milliseconds("--ping-timeout", is.options.ping_timeout,
                    "that a server that was asked may be silent, and take for PONG");
  line.number("--count", is.count, "questions");
  return guide::run(line, argc, argv, ask, is);
}
