// flserver1: Freelance server, model one: echoes.

#include "tools/guide/freelance_service.h"

#include <string>

namespace {

struct settings {
  std::string bind;
};

boost::asio::awaitable<int> serve(const settings& is) {
  return guide::serve_freelance(zmtp::freelance_form::plain, is.bind, {}, "echo service", false);
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Freelance server, model one: echoes requests"};
  line.endpoint("endpoint", is.bind, "endpoint to bind, for clients");
  if (argc == 1) {
    guide::say("I: syntax: {} <endpoint>", argv[0]);
    return guide::exit_code::done;
  }
  return guide::run(line, argc, argv, serve, is);
}
