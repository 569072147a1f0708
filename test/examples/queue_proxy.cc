#include "zmtp/socket/proxy.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <iostream>

int main(int, char** argv) {
  boost::asio::io_context context{1};
  zmtp::router_socket clients{context.get_executor()};
  zmtp::dealer_socket workers{context.get_executor()};
  std::cout << clients.bind(argv[1]).to_string() << std::endl;
  std::cout << workers.bind(argv[1]).to_string() << std::endl;
  zmtp::proxy proxy{clients, workers};
  boost::asio::signal_set stop{context, SIGINT, SIGTERM};
  stop.async_wait([&](zmtp::error_code, int) { proxy.terminate(); });
  proxy.async_run([&](zmtp::error_code) {
    std::cout << proxy.statistics().frontend.messages_received << " requests\n";
    clients.close();
    workers.close();
  });
  context.run();
}
