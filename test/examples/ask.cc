#include "zmtp/zmtp.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> ask(zmtp::req_socket& socket) {
  zmtp::message question{"how are you?"};
  co_await socket.async_send(std::move(question));
  const auto [error, reply] =
      co_await socket.async_receive(2s, asio::as_tuple(asio::use_awaitable));
  if (error) {
    std::cout << "no reply: " << error.message() << '\n';
  } else {
    std::cout << reply[0] << ": " << reply[1] << '\n';
  }
  socket.close(0ms);  // discards a question that was not sent
}

// ask ENDPOINT
int main(int, char** argv) {
  asio::io_context context{1};
  zmtp::req_socket socket{context.get_executor()};
  socket.connect(argv[1]);
  asio::co_spawn(context, ask(socket), asio::detached);
  context.run();
}
