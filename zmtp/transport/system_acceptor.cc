#include "zmtp/transport/system_acceptor.h"

#include "zmtp/transport/tcp.h"

#include <boost/asio/bind_allocator.hpp>

#include <utility>

namespace zmtp::transport {

system_acceptor::system_acceptor(const asio::any_io_executor& executor,
                                 const transport_options& options)
    : options_{options}, socket_{executor} {}

error_code system_acceptor::open(const endpoint& at, int backlog) {
  struct {
    system_acceptor& self;
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
    // inproc does not transport bytes, and ws is a layer over tcp.
    error_code operator()(const inproc_address&) const { return errc::unknown_transport; }
    error_code operator()(const ws_address&) const { return errc::unknown_transport; }
  } listen{*this, backlog};
  const auto ec = std::visit(listen, at.address);
  if (ec) {
    close();
  }
  return ec;
}

void system_acceptor::close() noexcept {
  file_.remove();
  error_code ignored;
  socket_.close(ignored);
}

void system_acceptor::wait(std::shared_ptr<acceptor_user> user) {
  socket_.async_wait(
      listening_socket::wait_read,
      asio::bind_allocator(for_wait_.get_allocator(),
                           [user = std::move(user)](error_code ec) { user->on_acceptable(ec); }));
}

std::unique_ptr<stream> system_acceptor::accept(error_code& ec) {
  auto accepted = std::make_unique<system_stream>(socket_.get_executor());
  ec = transport::accept(socket_, accepted->socket(), options_);
  if (ec) {
    return nullptr;
  }
  return accepted;
}

}  // namespace zmtp::transport
