#include "zmtp/transport/acceptor.h"

#include "zmtp/transport/tcp.h"

#include <utility>

namespace zmtp::transport {

acceptor::acceptor(const asio::any_io_executor& executor, const transport_options& options)
    : options_{options}, socket_{executor} {}

error_code acceptor::open(const endpoint& at, int backlog) {
  struct {
    acceptor& self;
    int backlog;
    error_code operator()(const tcp_address& a) const {
      tcp_address bound;
      const auto ec = listen_tcp(self.socket_, a, self.options_, backlog, bound);
      self.bound_ = {std::move(bound)};
      return ec;
    }
    error_code operator()(const ipc_address& a) const {
      ipc_address bound;
      const auto ec = listen_ipc(self.socket_, a, self.options_, backlog, bound, self.file_);
      self.bound_ = {std::move(bound)};
      return ec;
    }
    // inproc does not transport bytes.
    error_code operator()(const inproc_address&) const { return errc::unknown_transport; }
  } listen{*this, backlog};
  const auto ec = std::visit(listen, at.address);
  if (ec) {
    close();
  }
  return ec;
}

void acceptor::close() noexcept {
  file_.remove();
  error_code ignored;
  socket_.close(ignored);
}

error_code acceptor::accept(stream& to) { return transport::accept(socket_, to, options_); }

}  // namespace zmtp::transport
