// flclient2: Freelance client, model two: sends a request to all servers, and takes the first reply.

#include "tools/guide/freelance_calls.h"

#include <chrono>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  guide::call_settings is;
  is.options.model = zmtp::freelance_model::shotgun;
  is.options.timeout = 2'500ms;
  guide::command_line line{"Freelance client, model two: sends each request to all servers"};
  line.endpoints("endpoint", is.servers, "server to connect to; repeatable");
  line.milliseconds("--timeout", is.options.timeout, "time to wait for a reply");
  line.number("--count", is.count, "number of requests");
  if (argc == 1) {
    guide::say("I: syntax: {} <endpoint> ...", argv[0]);
    return guide::exit_code::done;
  }
  return guide::run(line, argc, argv, guide::ask_freelance, is);
}
