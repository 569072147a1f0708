#include "zmtp/blocking/socket.h"

#include <iostream>

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::req_socket socket{context};
  socket.connect(argv[1]);
  socket.send({"hello"});
  std::cout << socket.receive(std::chrono::seconds{5}).front() << '\n';
}
