#include "zmtp/zmtp.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>

namespace asio = boost::asio;

asio::awaitable<void> print_events(zmtp::monitor events) {
  for (;;) {
    const zmtp::monitor_event event = co_await events.async_receive();
    std::cout << to_string(event.what);
    if (event.reason) {
      std::cout << ": " << event.reason.message();
    }
    std::cout << std::endl;
  }
}

// watch_connection ENDPOINT
int main(int, char** argv) {
  asio::io_context context{1};
  zmtp::req_socket socket{context.get_executor()};
  asio::co_spawn(context, print_events(socket.monitor()), asio::detached);
  socket.connect(argv[1]);
  context.run();
}
