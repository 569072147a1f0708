#include "zmtp/blocking/socket.h"

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::push_socket socket{context};
  socket.connect(argv[1]);
  std::vector<zmtp::message> batch;
  for (int n = 1; n <= 100'000; ++n) {
    batch.push_back({std::to_string(n)});
  }
  socket.send(batch);
}
