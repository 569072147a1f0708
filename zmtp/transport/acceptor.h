#pragma once
// Listens at one endpoint and accepts connections, for any transport.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/transport/ipc.h"
#include "zmtp/transport/stream.h"

#include <boost/asio/any_io_executor.hpp>

#include <utility>

namespace zmtp::transport {

class acceptor {
public:
  acceptor(const asio::any_io_executor& executor, const transport_options& options);
  acceptor(const acceptor&) = delete;
  acceptor& operator=(const acceptor&) = delete;
  ~acceptor() { close(); }

  // Listens at `at`, which must be bindable.
  // Errors: errc::unknown_transport, and those of listen_tcp and listen_ipc.
  [[nodiscard]] error_code open(const endpoint& at, int backlog);
  // Stops listening and removes the file of an ipc endpoint.
  void close() noexcept;
  // The endpoint to which other sockets can connect.
  [[nodiscard]] const endpoint& bound() const noexcept { return bound_; }

  // Waits until a connection may be available. Completes with operation_aborted after close().
  // Allocates memory only with the handler's associated allocator.
  template <class Handler>
  void async_wait(Handler&& handler) {
    socket_.async_wait(listening_socket::wait_read, std::forward<Handler>(handler));
  }
  // See transport::accept.
  [[nodiscard]] error_code accept(stream& to);

private:
  transport_options options_;
  listening_socket socket_;
  ipc_file file_;
  endpoint bound_;
};

}  // namespace zmtp::transport
