#include "mdp/blocking/client.h"

#include <iostream>

int main(int, char** argv) {
  zmtp::blocking::context context;
  mdp::blocking::client client{context, argv[1]};
  const auto reply = client.request("greet", {"world"}, {.timeout = std::chrono::seconds{10}});
  std::cout << reply[0] << ' ' << reply[1] << '\n';
}
