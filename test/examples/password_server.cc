#include "zmtp/authenticators/password_file.h"
#include "zmtp/blocking/socket.h"

#include <iostream>

// password_server ENDPOINT USERS_FILE
int main(int, char** argv) {
  zmtp::password_file_options checks;
  checks.on_fault = [](const std::string& fault) { std::cerr << fault << '\n'; };
  zmtp::socket_options options;
  options.security = zmtp::plain_server_security{};
  options.authenticator = std::make_shared<zmtp::password_file>(argv[2], checks);

  zmtp::blocking::context context;
  zmtp::blocking::rep_socket socket{context, options};
  std::cout << socket.bind(argv[1]).to_string() << std::endl;
  for (;;) {
    socket.send(socket.receive());
  }
}
