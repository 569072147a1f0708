#include "zmtp/authenticators/allowed_keys.h"
#include "zmtp/blocking/socket.h"
#include "zmtp/curve/certificate_file.h"
#include "zmtp/mechanism/curve.h"

#include <iostream>

// secure_server ENDPOINT SECRET_FILE CLIENT_FILE...
int main(int count, char** argv) {
  const auto own = zmtp::load_certificate(argv[2]);
  const auto allowed = std::make_shared<zmtp::allowed_keys>();
  for (int i = 3; i < count; ++i) {
    allowed->allow(zmtp::load_certificate(argv[i]).public_key, argv[i]);
  }
  zmtp::socket_options options;
  options.security = zmtp::curve_server({.keys = {own.public_key, own.secret_key.value()}});
  options.authenticator = allowed;

  zmtp::blocking::context context;
  zmtp::blocking::rep_socket socket{context, options};
  std::cout << socket.bind(argv[1]).to_string() << std::endl;
  for (;;) {
    socket.send(socket.receive());
  }
}
