#include "zmtp/zmtp.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;

asio::awaitable<void> echo(zmtp::router_socket socket) {
  std::vector<zmtp::routed_message> batch;
  for (;;) {
    co_await socket.async_receive(batch, asio::use_awaitable);
    for (auto& m : batch) {
      co_await socket.async_send(m.peer, std::move(m.content), asio::use_awaitable);
    }
  }
}

int main() {
  asio::io_context context{1};
  zmtp::router_socket socket{context.get_executor()};
  socket.bind("tcp://*:5555");
  asio::co_spawn(context, echo(std::move(socket)), asio::detached);
  context.run();
}
