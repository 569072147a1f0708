#include "zmtp/blocking/socket.h"

#include <iostream>

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::pull_socket socket{context};
  std::cout << socket.bind(argv[1]).to_string() << std::endl;
  std::vector<zmtp::message> batch;
  std::size_t received = 0;
  while (received < 100'000) {
    received += socket.receive(batch, std::chrono::seconds{5});
  }
  std::cout << batch.back().front() << '\n';
}
