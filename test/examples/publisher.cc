#include "zmtp/blocking/socket.h"

#include <iostream>
#include <thread>

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::pub_socket socket{context};
  std::cout << socket.bind(argv[1]).to_string() << std::endl;
  for (int n = 0;; ++n, std::this_thread::sleep_for(std::chrono::milliseconds{10})) {
    socket.send({"time", std::to_string(n)});
  }
}
