#include "zmtp/zmtp.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>

namespace asio = boost::asio;

asio::awaitable<void> print_all(zmtp::pull_socket socket) {
  for (;;) {
    const zmtp::message received = co_await socket.async_receive();
    std::cout << received.front() << std::endl;
  }
}

int main() {
  asio::io_context context{1};
  zmtp::pull_socket socket{context.get_executor()};
  socket.bind("tcp://*:5557");
  asio::co_spawn(context, print_all(std::move(socket)), asio::detached);
  context.run();
}
