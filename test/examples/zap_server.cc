#include "zmtp/authenticators/zap.h"
#include "zmtp/blocking/socket.h"

#include <iostream>
#include <thread>

// Admits one user. The parts of a request with PLAIN: version, request id, domain, address, routing
// id, mechanism, user and password.
void run_handler(zmtp::blocking::rep_socket& handler) {
  for (;;) {
    const auto asked = handler.receive();
    const bool admitted = asked.size() == 8 && asked[6] == "alice" && asked[7] == "secret";
    zmtp::message reply{"1.0", asked[1], admitted ? "200" : "400"};
    reply.push_back(admitted ? "welcome" : "unknown user");
    reply.push_back(asked[6]);  // the user id
    reply.push_back("");        // no properties
    handler.send(std::move(reply));
  }
}

// zap_server ENDPOINT
int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::rep_socket handler{context};
  handler.bind("inproc://zeromq.zap.01");
  std::thread{run_handler, std::ref(handler)}.detach();

  zmtp::socket_options options;
  options.security = zmtp::plain_server_security{};
  options.authenticator =
      zmtp::make_zap_authenticator(context.get_executor(), {.domain = "global"});
  zmtp::blocking::rep_socket socket{context, options};
  std::cout << socket.bind(argv[1]).to_string() << std::endl;
  for (;;) {
    socket.send(socket.receive());
  }
}
