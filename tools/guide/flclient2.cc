// flclient2: Freelance client, model two: asks all servers at once, and takes the first answer.

#include "tools/guide/freelance_calls.h"

#include <chrono>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  guide::call_settings is;
  is.options.model = zmtp::freelance_model::shotgun;
  is.options.timeout = 2'500ms;
  guide::command_line line{"Freelance client, model two: asks all servers at once"};
  line.endpoints("endpoint", is.servers, "of the servers");
  line.milliseconds("--timeout", is.options.timeout, "of a question");
  line.number("--count", is.count, "questions");
  if (argc == 1) {
    guide::say("I: syntax: {} <endpoint> ...", argv[0]);
    return guide::exit_code::done;
  }
  return guide::run(line, argc, argv, guide::ask_freelance, is);
}
