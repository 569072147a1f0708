#include "zmtp/blocking/socket.h"

#include <iostream>

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::sub_socket socket{context};
  socket.subscribe("time");
  socket.connect(argv[1]);
  for (int n = 0; n < 3; ++n) {
    std::cout << socket.receive(std::chrono::seconds{5})[1] << '\n';
  }
}
