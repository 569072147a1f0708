// A ROUTER and an XPUB of ours that take all that comes, in a process of its own, for peers that would have its
// memory:
//
//     memory_host [OCTETS]
//
// says where the ROUTER is bound, where the XPUB is, and what half messages may hold: so much, or what the process
// has for them by itself. The ROUTER answers what begins with "good". Each line of input is answered by how many
// connections have ended for half messages. Ends with its input.

#include "zmtp/socket/memory_budget.h"
#include "zmtp/socket/router_socket.h"
#include "zmtp/socket/xpub_socket.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;

asio::awaitable<void> answer(zmtp::router_socket& socket) {
  for (;;) {
    zmtp::routed_message received = co_await socket.async_receive(use_awaitable);
    if (received.content.front().starts_with("good")) {
      (void)socket.try_send(received.peer, std::move(received.content));
    }
  }
}

// What its subscribers tell it.
asio::awaitable<void> listen(zmtp::xpub_socket& socket) {
  for (;;) {
    co_await socket.async_receive(use_awaitable);
  }
}

asio::awaitable<void> report(asio::io_context& context, zmtp::router_socket& socket) {
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
    read.erase(0, line);
    constexpr auto reason = static_cast<std::size_t>(zmtp::errc::half_message_evicted);
    std::cout << socket.counters().ended[reason] << std::endl;
  }
}

void on_end(std::exception_ptr failure) {
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 2) {
    std::cerr << "usage: memory_host [OCTETS]\n";
    return 2;
  }
  if (count == 2) {
    auto budget = zmtp::process_memory_budget();
    budget.half_messages = std::stoul(arguments[1]);
    zmtp::set_process_memory_budget(budget);
  }
  asio::io_context context{1};
  zmtp::router_socket router{context.get_executor()};
  zmtp::xpub_socket xpub{context.get_executor()};
  std::cout << "bound " << router.bind("tcp://127.0.0.1:*").to_string() << '\n'
            << xpub.bind("tcp://127.0.0.1:*").to_string() << '\n'
            << zmtp::process_memory_budget().half_messages << std::endl;
  asio::co_spawn(context, answer(router), on_end);
  asio::co_spawn(context, listen(xpub), on_end);
  asio::co_spawn(context, report(context, router), on_end);
  context.run();
}
