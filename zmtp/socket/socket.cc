#include "zmtp/socket/socket.h"

#include "zmtp/socket/socket_core.h"

#include <boost/system/system_error.hpp>

#include <utility>

namespace zmtp {

socket& socket::operator=(socket&& other) noexcept {
  if (this != &other) {
    close_with(asio::error::operation_aborted);
    core_ = std::move(other.core_);
  }
  return *this;
}

socket::~socket() { close_with(asio::error::operation_aborted); }

// A socket that is closed already lingers as it was told to.
void socket::close_with(error_code reason) {
  if (core_ && core_->open()) {
    core_->close(reason, core_->options().linger);
  }
}

socket::executor_type socket::get_executor() const { return core_->executor(); }

endpoint socket::bind(std::string_view at) {
  error_code ec;
  auto bound = bind(at, ec);
  if (ec) {
    throw boost::system::system_error{ec, "bind " + std::string{at}};
  }
  return bound;
}

endpoint socket::bind(std::string_view at, error_code& ec) {
  const auto bound = core_->bind(at);
  ec = bound ? error_code{} : bound.error();
  return bound ? *bound : endpoint{};
}

void socket::connect(std::string_view to) {
  error_code ec;
  connect(to, ec);
  if (ec) {
    throw boost::system::system_error{ec, "connect " + std::string{to}};
  }
}

void socket::connect(std::string_view to, error_code& ec) { ec = core_->connect(to); }

void socket::unbind(std::string_view at, error_code& ec) { ec = core_->unbind(at); }

void socket::disconnect(std::string_view from, error_code& ec) { ec = core_->disconnect(from); }

void socket::close() { close_with(errc::socket_closed); }

void socket::close(std::chrono::milliseconds linger) { core_->close(errc::socket_closed, linger); }

bool socket::is_open() const noexcept { return core_->open(); }

const socket_options& socket::options() const noexcept { return core_->options(); }

const socket_counters& socket::counters() const noexcept { return core_->state().counters(); }

std::vector<peer_status> socket::peers() const { return core_->peers(); }

const peer_info* socket::peer(peer_id id) const noexcept {
  const auto* p = core_->state().find(id);
  return p != nullptr ? &p->info : nullptr;
}

void socket::disconnect(peer_id peer) { core_->disconnect(peer); }

zmtp::monitor socket::monitor(std::size_t capacity) const {
  return zmtp::monitor{core_->monitor(capacity)};
}

}  // namespace zmtp
