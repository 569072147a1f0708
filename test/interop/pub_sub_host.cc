// A publisher or subscriber of ours in a process of its own, for peers that do it wrong:
//
//     pub_sub_host pub|xpub|sub
//
// says where it is bound; publishes each line that it reads, or prints each message that begins with "good".
// Ends with its input.

#include "zmtp/socket/pub_socket.h"
#include "zmtp/socket/sub_socket.h"
#include "zmtp/socket/xpub_socket.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;

template <class Socket>
void bind(Socket& socket) {
  std::cout << "bound " << socket.bind("tcp://127.0.0.1:*").to_string() << std::endl;
}

asio::awaitable<void> read_lines(asio::io_context& context,
                                 std::function<void(const std::string&)> on_line) {
  asio::posix::stream_descriptor input{context, ::dup(STDIN_FILENO)};
  std::string read;
  for (;;) {
    boost::system::error_code ec;
    const auto line = co_await asio::async_read_until(input, asio::dynamic_buffer(read), '\n',
                                                      asio::redirect_error(use_awaitable, ec));
    if (ec) {
      context.stop();
      co_return;
    }
    on_line(read.substr(0, line - 1));
    read.erase(0, line);
  }
}

// What its subscribers tell it.
asio::awaitable<void> listen(zmtp::xpub_socket& socket) {
  for (;;) {
    co_await socket.async_receive(use_awaitable);
  }
}

asio::awaitable<void> print(zmtp::sub_socket& socket) {
  for (;;) {
    const zmtp::message m = co_await socket.async_receive(use_awaitable);
    std::cout << std::string_view{m.front()} << std::endl;
  }
}

void on_end(std::exception_ptr failure) {
  if (failure) {
    std::rethrow_exception(failure);
  }
}

template <class Socket>
void publish(asio::io_context& context, Socket& socket) {
  bind(socket);
  asio::co_spawn(
      context,
      read_lines(context,
                 [&](const std::string& line) { (void)socket.try_send(zmtp::message{line}); }),
      on_end);
  context.run();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view type = count == 2 ? arguments[1] : "";
  asio::io_context context{1};
  if (type == "pub") {
    zmtp::pub_socket socket{context.get_executor()};
    publish(context, socket);
  } else if (type == "xpub") {
    zmtp::xpub_socket socket{context.get_executor()};
    asio::co_spawn(context, listen(socket), on_end);
    publish(context, socket);
  } else if (type == "sub") {
    zmtp::sub_socket socket{context.get_executor()};
    socket.subscribe("good");
    bind(socket);
    asio::co_spawn(context, print(socket), on_end);
    asio::co_spawn(context, read_lines(context, [](const std::string&) {}), on_end);
    context.run();
  } else {
    std::cerr << "usage: pub_sub_host pub|xpub|sub\n";
    return 2;
  }
}
