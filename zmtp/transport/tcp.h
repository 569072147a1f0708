#pragma once
// tcp:// — from an endpoint to listening sockets and connected streams.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/transport/stream.h"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace zmtp::transport {

// A bound and listening acceptor. "*" is every IPv4 address, as stock peers resolve "localhost" to
// IPv4. `bound` becomes the endpoint with the real port. Names of hosts are refused: an address of
// this machine is meant.
[[nodiscard]] error_code listen(asio::ip::tcp::acceptor& acceptor, const endpoint& at, int backlog,
                                endpoint& bound);

// One attempt to connect: resolves anew and tries all addresses in turn, IPv4 first. Numeric addresses
// and "localhost" need no resolver; another name is resolved by Asio's resolver, which has a thread
// for it.
class tcp_connect : public std::enable_shared_from_this<tcp_connect> {
public:
  using handler = asio::any_completion_handler<void(error_code, stream)>;

  explicit tcp_connect(const asio::any_io_executor& executor);
  // `to` must be connectable. Completes with the stream, set up, or with the last address's error, or
  // with timed_out.
  void start(const endpoint& to, std::chrono::milliseconds time_limit, handler on_done);
  // The attempt completes with operation_aborted.
  void cancel();

private:
  void try_next();
  void stop(error_code reason);
  void finish(error_code ec);
  [[nodiscard]] bool connected_to_itself() const;

  asio::steady_timer timer_;
  asio::ip::tcp::resolver resolver_;
  asio::ip::tcp::socket socket_;
  std::vector<asio::ip::tcp::endpoint> addresses_;
  std::size_t next_ = 0;
  error_code stopped_;  // why there is to be no further try
  handler on_done_;
};

}  // namespace zmtp::transport
