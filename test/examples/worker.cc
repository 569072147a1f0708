#include "zmtp/blocking/socket.h"

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::rep_socket socket{context};
  socket.connect(argv[1]);
  for (;;) {
    auto job = socket.receive();
    job.push_back("done");
    socket.send(std::move(job));
  }
}
