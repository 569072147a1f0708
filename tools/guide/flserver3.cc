// flserver3: Freelance server, model three (10/FLP): answers OK to requests, and PONG to PING.

#include "tools/guide/freelance_service.h"

#include <string>

namespace {

struct settings {
  std::string bind = "tcp://*:5555";
  std::string identity;
  bool verbose = false;
};

// Returns the endpoint to which clients on this machine connect.
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
  line.endpoint("--bind", is.bind, "endpoint to bind, for clients");
  line.endpoint("--public", is.identity,
                "endpoint to which clients connect, byte by byte: the identity of the server [the "
                "value of --bind, with localhost for *]");
  line.flag("-v,--verbose", is.verbose, "print requests and replies");
  return guide::run(line, argc, argv, serve, is);
}
