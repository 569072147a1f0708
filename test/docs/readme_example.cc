#include "zmtp/zmtp.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace asio = boost::asio;

asio::awaitable<void> echo(zmtp::router_socket socket) {
  zmtp::message_batch batch;
  for (;;) {
    co_await socket.async_receive(batch);
    co_await socket.async_send_to(batch);
  }
}

int main() {
  asio::io_context context{1};
  zmtp::router_socket socket{context.get_executor()};
  socket.bind("tcp://*:5555");
  asio::co_spawn(context, echo(std::move(socket)), asio::detached);
  context.run();
}
