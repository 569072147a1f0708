#include "zmtp/blocking/socket.h"

int use_asio();

int main() {
  zmtp::blocking::context context;
  zmtp::blocking::pull_socket pull{context};
  pull.bind("inproc://consumer");
  zmtp::blocking::push_socket push{context};
  push.connect("inproc://consumer");
  push.send(zmtp::message{"hello"});
  return pull.receive().size() == 1 && use_asio() == 1 ? 0 : 1;
}
