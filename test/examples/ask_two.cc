#include "zmtp/zmtp.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

asio::awaitable<zmtp::message> ask(zmtp::req_socket& socket) {
  zmtp::message question{"how are you?"};
  co_await socket.async_send(std::move(question));
  co_return co_await socket.async_receive();
}

asio::awaitable<void> ask_both(zmtp::req_socket& a, zmtp::req_socket& b) {
  // The first reply cancels the other receive.
  const auto first = co_await (ask(a) || ask(b));
  std::cout << (first.index() == 0 ? "a" : "b") << " was first\n";
  a.close(std::chrono::milliseconds{0});
  b.close(std::chrono::milliseconds{0});
}

// ask_two ENDPOINT ENDPOINT
int main(int, char** argv) {
  asio::io_context context{1};
  zmtp::req_socket a{context.get_executor()};
  zmtp::req_socket b{context.get_executor()};
  a.connect(argv[1]);
  b.connect(argv[2]);
  asio::co_spawn(context, ask_both(a, b), asio::detached);
  context.run();
}
