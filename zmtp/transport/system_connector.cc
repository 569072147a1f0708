#include "zmtp/transport/system_connector.h"

#include "zmtp/transport/ipc.h"
#include "zmtp/transport/tcp.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <netinet/in.h>
#include <new>
#include <string>
#include <utility>

namespace zmtp::transport {

using asio::ip::tcp;

system_connector::system_connector(const asio::any_io_executor& executor,
                                   const transport_options& options)
    : options_{options},
      timer_{executor},
      resolver_{executor},
      stream_{std::make_unique<system_stream>(executor)} {}

void system_connector::start(const endpoint& to, std::chrono::milliseconds time_limit,
                             handler on_done) {
  on_done_.swap(on_done);
  to_ = to;
  timer_.expires_after(time_limit);
  timer_.async_wait([weak = weak_from_this()](error_code ec) {
    if (const auto self = weak.lock(); self && !ec) {
      self->stop(asio::error::timed_out);
    }
  });
  struct {
    system_connector& self;
    void operator()(const tcp_address& a) const {
      self.addresses_ = known_addresses(a.host, a.port);
      self.addresses_.empty() ? self.resolve() : self.try_next();
    }
    void operator()(const ipc_address& a) const {
      self.on_tried_soon(connect_ipc(self.socket(), a, self.options_));
    }
    void operator()(const inproc_address&) const { self.on_tried_soon(errc::unknown_transport); }
    void operator()(const ws_address&) const { self.on_tried_soon(errc::unknown_transport); }
  } begin{*this};
  std::visit(begin, to_.address);
}

void system_connector::resolve() {
  const auto& to = *to_.tcp();
  resolver_.async_resolve(to.host, std::to_string(to.port), tcp::resolver::numeric_service,
                          [self = shared_from_this()](error_code ec, const auto& found) {
                            if (ec) {
                              self->finish(self->stopped_ ? self->stopped_ : ec);
                              return;
                            }
                            self->on_resolved(found);
                          });
}

void system_connector::on_resolved(const tcp::resolver::results_type& found) {
  try {
    for (const auto& entry : found) {
      addresses_.push_back(entry.endpoint());
    }
    std::stable_partition(addresses_.begin(), addresses_.end(),
                          [](const tcp::endpoint& e) { return e.address().is_v4(); });
  } catch (const std::bad_alloc&) {
    finish(asio::error::no_memory);
    return;
  }
  if (stopped_) {
    finish(stopped_);
  } else {
    try_next_or_finish();
  }
}

void system_connector::try_next_or_finish() {
  try {
    try_next();
  } catch (const std::bad_alloc&) {
    finish(asio::error::no_memory);
  }
}

void system_connector::try_next() {
  const auto& address = addresses_[next_++];
  if (const auto ec = prepare(address)) {
    on_tried_soon(ec);
    return;
  }
  socket().async_connect(address, [self = shared_from_this()](error_code ec) {
    self->on_tried(!ec && self->connected_to_itself() ? asio::error::connection_refused : ec);
  });
}

// Posts, so that the handler does not run inside start().
void system_connector::on_tried_soon(error_code ec) {
  asio::post(resolver_.get_executor(), [self = shared_from_this(), ec] { self->on_tried(ec); });
}

void system_connector::on_tried(error_code ec) {
  if (ec && !stopped_ && next_ < addresses_.size()) {
    try_next_or_finish();
  } else {
    finish(stopped_ ? stopped_ : ec);
  }
}

error_code system_connector::prepare(const tcp::endpoint& to) {
  const auto ec = open(socket(), to.protocol().family(), options_);
  return ec || !to_.tcp()->source ? ec : bind_to_source(*to_.tcp()->source, to.protocol());
}

error_code system_connector::bind_to_source(const host_port& source, const tcp& family) {
  const auto own = own_addresses(source.host, source.port);
  const auto found = std::find_if(own.begin(), own.end(),
                                  [&](const tcp::endpoint& e) { return e.protocol() == family; });
  if (found == own.end()) {
    return own.empty() ? make_error_code(errc::unknown_interface)
                       : asio::error::address_family_not_supported;
  }
  if (source.port == 0) {
    // The kernel then selects the port at connect, so that many connections to different addresses
    // can share it.
    const int on = 1;
    ::setsockopt(socket().native_handle(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  }
  error_code ec;
  // A previous connection may still occupy the port.
  socket().set_option(asio::socket_base::reuse_address{true}, ec);
  if (!ec) {
    socket().bind(*found, ec);
  }
  return ec;
}

// If no process listens on an ephemeral port, the system may assign that port to this attempt. TCP
// then connects the socket to itself. That would block the port for its listener, and the socket
// would be its own peer.
bool system_connector::connected_to_itself() {
  error_code ec;
  const auto own = socket().local_endpoint(ec);
  return !ec && own == socket().remote_endpoint(ec) && !ec;
}

void system_connector::finish(error_code ec) {
  timer_.cancel();
  handler on_done;
  on_done.swap(on_done_);
  auto connected = std::move(stream_);
  if (ec) {
    connected.reset();
  }
  std::move(on_done)(ec, std::move(connected));
}

void system_connector::stop(error_code reason) {
  stopped_ = reason;
  resolver_.cancel();
  if (stream_ != nullptr) {
    stream_->close();
  }
}

void system_connector::cancel() { stop(asio::error::operation_aborted); }

}  // namespace zmtp::transport
