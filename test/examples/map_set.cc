#include "chp/blocking/client.h"

#include <iostream>

int main(int, char** argv) {
  zmtp::blocking::context context;
  chp::blocking::client map{context, {chp::server_address::at(argv[1])}};
  map.set("/lamp/kitchen", "on", {.ttl = std::chrono::minutes{1}});
  std::cout << map.get("/lamp/kitchen").value_or("gone") << '\n';
}
