#include "zmtp/transport/tcp.h"

#include <boost/asio/connect.hpp>

#include <algorithm>
#include <fcntl.h>
#include <utility>

namespace zmtp::transport {

namespace {

using asio::ip::tcp;

// The addresses that are known without asking anybody; none if `to` is a name.
std::vector<tcp::endpoint> known_addresses(const endpoint& to) {
  if (to.host == "localhost") {
    return {{asio::ip::address_v4::loopback(), to.port},
            {asio::ip::address_v6::loopback(), to.port}};
  }
  error_code ec;
  const auto address = asio::ip::make_address(to.host, ec);
  return ec ? std::vector<tcp::endpoint>{} : std::vector<tcp::endpoint>{{address, to.port}};
}

}  // namespace

error_code listen(tcp::acceptor& acceptor, const endpoint& at, int backlog, endpoint& bound) {
  tcp::endpoint address{tcp::v4(), at.port};
  if (at.host != "*") {
    const auto known = known_addresses(at);
    if (known.empty()) {
      return errc::bad_endpoint;
    }
    address = known.front();
  }
  error_code ec;
  tcp::acceptor opened{acceptor.get_executor()};
  opened.open(address.protocol(), ec);
  if (!ec) {
    ::fcntl(opened.native_handle(), F_SETFD, FD_CLOEXEC);
    opened.set_option(tcp::acceptor::reuse_address{true}, ec);
  }
  if (!ec) {
    opened.bind(address, ec);
  }
  if (!ec) {
    opened.listen(backlog, ec);
  }
  if (!ec) {
    opened.non_blocking(true, ec);
  }
  if (ec) {
    return ec;
  }
  bound = at;
  bound.port = opened.local_endpoint(ec).port();
  if (at.host == "*") {
    bound.host = "0.0.0.0";
  }
  acceptor = std::move(opened);
  return ec;
}

tcp_connect::tcp_connect(const asio::any_io_executor& executor)
    : timer_{executor}, resolver_{executor}, socket_{executor} {}

void tcp_connect::start(const endpoint& to, std::chrono::milliseconds time_limit, handler on_done) {
  on_done_.swap(on_done);
  timer_.expires_after(time_limit);
  timer_.async_wait([weak = weak_from_this()](error_code ec) {
    if (const auto self = weak.lock(); self && !ec) {
      self->stop(asio::error::timed_out);
    }
  });
  addresses_ = known_addresses(to);
  if (!addresses_.empty()) {
    try_next();
    return;
  }
  resolver_.async_resolve(to.host, std::to_string(to.port), tcp::resolver::numeric_service,
                          [self = shared_from_this()](error_code ec, const auto& found) {
                            if (ec) {
                              self->finish(self->stopped_ ? self->stopped_ : ec);
                              return;
                            }
                            for (const auto& entry : found) {
                              self->addresses_.push_back(entry.endpoint());
                            }
                            std::stable_partition(
                                self->addresses_.begin(), self->addresses_.end(),
                                [](const tcp::endpoint& e) { return e.address().is_v4(); });
                            self->try_next();
                          });
}

void tcp_connect::try_next() {
  if (stopped_) {
    finish(stopped_);
    return;
  }
  error_code ignored;
  socket_.close(ignored);
  const auto& address = addresses_[next_++];
  socket_.async_connect(address, [self = shared_from_this()](error_code ec) {
    if (!ec && self->connected_to_itself()) {
      ec = asio::error::connection_refused;
    }
    if (ec && !self->stopped_ && self->next_ < self->addresses_.size()) {
      self->try_next();
    } else {
      self->finish(self->stopped_ ? self->stopped_ : ec);
    }
  });
}

// Where nobody listens on a port that the system gives to those who connect, it gives it sooner or
// later to this very attempt, and TCP lets the two ends of one socket meet. That would keep the port
// from its listener, and the peer would be ourselves.
bool tcp_connect::connected_to_itself() const {
  error_code ec;
  const auto own = socket_.local_endpoint(ec);
  return !ec && own == socket_.remote_endpoint(ec) && !ec;
}

void tcp_connect::finish(error_code ec) {
  timer_.cancel();
  handler on_done;
  on_done.swap(on_done_);
  stream connected{socket_.get_executor()};
  if (!ec) {
    connected = std::move(socket_);
    set_up(connected);
  }
  std::move(on_done)(ec, std::move(connected));
}

void tcp_connect::stop(error_code reason) {
  stopped_ = reason;
  resolver_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

void tcp_connect::cancel() { stop(asio::error::operation_aborted); }

}  // namespace zmtp::transport
