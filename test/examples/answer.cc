#include "zmtp/zmtp.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace asio = boost::asio;

asio::awaitable<void> answer(zmtp::rep_socket socket) {
  for (;;) {
    zmtp::message request = co_await socket.async_receive();
    request.push_front("you asked");
    co_await socket.async_send(std::move(request));
  }
}

// answer ENDPOINT
int main(int, char** argv) {
  asio::io_context context{1};
  zmtp::rep_socket socket{context.get_executor()};
  socket.bind(argv[1]);
  asio::co_spawn(context, answer(std::move(socket)), asio::detached);
  context.run();
}
