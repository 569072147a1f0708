#include "zmtp/blocking/socket.h"

#include <iostream>
#include <string>

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::pull_socket socket{context};
  std::cout << socket.bind(argv[1]).to_string() << std::endl;
  zmtp::message_batch batch;
  std::string last;
  for (int received = 0; received < 100'000;) {
    socket.receive(batch, std::chrono::seconds{5});
    for (const auto number : batch) {
      last = number.front();
      ++received;
    }
  }
  std::cout << last << '\n';
}
