#include "zmtp/blocking/socket.h"

#include <iostream>

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::rep_socket socket{context};
  std::cout << socket.bind(argv[1]).to_string() << std::endl;
  for (;;) {
    socket.send(socket.receive());
  }
}
