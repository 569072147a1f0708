// flserver3: Freelance server, model three (10/FLP): answers OK, and says that it lives.

#include "tools/guide/freelance_service.h"

#include <string>

namespace {

struct settings {
  std::string bind = "tcp://*:5555";
  std::string identity;
  bool verbose = false;
};

// What clients on this machine connect to.
std::string local(std::string bound) {
  if (const auto any = bound.find("//*:"); any != std::string::npos) {
    bound.replace(any + 2, 1, "localhost");
  }
  return bound;
}

boost::asio::awaitable<int> serve(const settings& is) {
  return guide::serve_freelance(zmtp::freelance_form::flp, is.bind,
                                is.identity.empty() ? local(is.bind) : is.identity, "service",
                                is.verbose);
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Freelance server, model three (10/FLP): answers OK, and PONG to PING"};
  line.endpoint("--bind", is.bind, "where clients come");
  line.endpoint("--public", is.identity,
                "what clients connect to, byte by byte: the server's identity; otherwise as it is "
                "bound, * being localhost");
  line.flag("-v,--verbose", is.verbose, "show requests and replies");
  return guide::run(line, argc, argv, serve, is);
}
