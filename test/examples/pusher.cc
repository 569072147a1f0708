#include "zmtp/blocking/socket.h"

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::push_socket socket{context};
  socket.connect(argv[1]);
  zmtp::message_batch batch;
  for (int n = 1; n <= 100'000; ++n) {
    batch.append(std::to_string(n));
  }
  socket.send(batch);
}
