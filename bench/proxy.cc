// Forwards messages from a PULL at FRONTEND to a PUSH that connects to BACKEND, until SIGTERM.
#include "zmtp/socket/proxy.h"

#include "bench/support/arguments.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <chrono>
#include <csignal>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "FRONTEND BACKEND"};
  boost::asio::io_context context{1};
  zmtp::pull_socket pull{context.get_executor()};
  zmtp::push_socket push{context.get_executor()};
  pull.bind(arguments.endpoint(0));
  push.connect(arguments.endpoint(1));
  zmtp::proxy proxy{pull, push};
  boost::asio::signal_set signals{context, SIGTERM};
  signals.async_wait([&](zmtp::error_code, int) { proxy.terminate(); });
  proxy.async_run([&](zmtp::error_code) {
    pull.close();
    push.close(std::chrono::milliseconds::zero());
  });
  context.run();
}
