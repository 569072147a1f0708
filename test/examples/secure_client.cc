#include "zmtp/blocking/socket.h"
#include "zmtp/curve/certificate_file.h"
#include "zmtp/mechanism/curve.h"

#include <iostream>

// secure_client ENDPOINT SECRET_FILE SERVER_FILE
int main(int, char** argv) {
  const auto own = zmtp::load_certificate(argv[2]);
  zmtp::socket_options options;
  options.security = zmtp::curve_client({.server_key = zmtp::load_certificate(argv[3]).public_key,
                                         .keys = {own.public_key, own.secret_key.value()}});

  zmtp::blocking::context context;
  zmtp::blocking::req_socket socket{context, options};
  socket.connect(argv[1]);
  socket.send({"hello"});
  try {
    std::cout << socket.receive(std::chrono::seconds{5}).front() << '\n';
  } catch (const boost::system::system_error&) {
    std::cout << "no answer\n";
  }
}
