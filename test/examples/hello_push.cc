#include "zmtp/zmtp.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <string>

namespace asio = boost::asio;

asio::awaitable<void> send_three(zmtp::push_socket socket) {
  for (int n = 1; n <= 3; ++n) {
    zmtp::message hello{"hello " + std::to_string(n)};
    co_await socket.async_send(std::move(hello));
  }
}

int main() {
  asio::io_context context{1};
  zmtp::push_socket socket{context.get_executor()};
  socket.connect("tcp://localhost:5557");
  asio::co_spawn(context, send_three(std::move(socket)), asio::detached);
  context.run();  // returns when the messages are written
}
