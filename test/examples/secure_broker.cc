#include "mdp/broker.h"
#include "zmtp/authenticators/certificate_folder.h"
#include "zmtp/curve/certificate_file.h"
#include "zmtp/mechanism/curve.h"

#include <boost/asio/io_context.hpp>

#include <iostream>

// secure_broker ENDPOINT SECRET_FILE FOLDER
int main(int, char** argv) {
  const auto own = zmtp::load_certificate(argv[2]);
  const auto verb = [](mdp::right what) { return static_cast<std::uint8_t>(what); };
  mdp::broker_options options;
  options.socket.security = zmtp::curve_server({.keys = {own.public_key, own.secret_key.value()}});
  options.socket.authenticator = std::make_shared<zmtp::certificate_folder>(
      argv[3], [](const std::string& fault) { std::cerr << fault << '\n'; });
  options.access = zmtp::access_rules{{
      {"worker.cert", verb(mdp::right::offer), "echo"},
      {"alice.cert", verb(mdp::right::call), "*"},
  }};

  boost::asio::io_context context{1};
  mdp::broker broker{context.get_executor(), options};
  std::cout << broker.bind(argv[1]).to_string() << std::endl;
  context.run();
}
