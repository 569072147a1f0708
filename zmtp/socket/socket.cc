#include "zmtp/socket/socket.h"

#include "zmtp/engine/socket_core.h"

#include <boost/system/system_error.hpp>

#include <string>
#include <utility>

namespace zmtp {

namespace {

// An error code has no place for the path of a file.
[[noreturn]] void refuse(const socket_core& core, error_code fault, std::string what) {
  if (const auto file = file_with_fault(core.options().transport.tls, fault); !file.empty()) {
    what.append(" with ").append(file);
  }
  throw boost::system::system_error{fault, what};
}

}  // namespace

socket& socket::operator=(socket&& other) noexcept {
  if (this != &other) {
    close_with(asio::error::operation_aborted);
    core_ = std::move(other.core_);
  }
  return *this;
}

socket::~socket() { close_with(asio::error::operation_aborted); }

// If the socket is already closed, its linger time does not change.
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
    refuse(*core_, ec, "cannot bind " + std::string{at});
  }
  return bound;
}

endpoint socket::bind(std::string_view at, error_code& ec) {
  const auto bound = core_->endpoints().bind(at);
  ec = bound ? error_code{} : bound.error();
  return bound ? *bound : endpoint{};
}

void socket::connect(std::string_view to) {
  error_code ec;
  connect(to, ec);
  if (ec) {
    refuse(*core_, ec, "cannot connect to " + std::string{to});
  }
}

void socket::connect(std::string_view to, error_code& ec) { ec = core_->endpoints().connect(to); }

void socket::unbind(std::string_view at, error_code& ec) { ec = core_->endpoints().unbind(at); }

void socket::disconnect(std::string_view from, error_code& ec) {
  ec = core_->endpoints().disconnect(from);
}

void socket::close() { close_with(errc::socket_closed); }

void socket::close(std::chrono::milliseconds linger) { core_->close(errc::socket_closed, linger); }

void socket::start_close(done_handler&& handler) {
  core_->start_close(core_->options().linger, std::move(handler));
}

void socket::start_close(deadline until, done_handler&& handler) {
  core_->start_close(until, std::move(handler));
}

void socket::start_wait_peers(std::size_t count, deadline until, done_handler&& handler) {
  core_->start(
      pending_operations::side::to_learn, std::move(handler), until,
      [core = core_.get(), count](error_code&) { return core->state().attached() >= count; });
}

void socket::start_wait_written(deadline until, done_handler&& handler) {
  core_->start(pending_operations::side::to_learn, std::move(handler), until,
               [core = core_.get()](error_code&) { return core->all_written(); });
}

void socket::set_options(const socket_options& options) {
  if (const auto fault = core_->change_options(options)) {
    refuse(*fault, "set_options");
  }
}

void socket::set_options(const socket_options& options, error_code& ec) {
  ec = core_->change_options(options) ? make_error_code(errc::bad_option) : error_code{};
}

bool socket::is_open() const noexcept { return core_->open(); }

const socket_options& socket::options() const noexcept { return core_->options(); }

const socket_counters& socket::counters() const noexcept { return core_->state().counters(); }

std::vector<peer_status> socket::peers() const { return core_->links().peers(); }

const peer_info* socket::peer(peer_id id) const noexcept {
  const auto* p = core_->state().find(id);
  return p != nullptr ? &p->info : nullptr;
}

void socket::disconnect(peer_id peer) { core_->disconnect(peer); }

zmtp::monitor socket::monitor(std::size_t capacity) const {
  const serial_check::scope alone{core_->serial()};
  return zmtp::monitor{core_->monitors().watch(core_->executor(), capacity)};
}

}  // namespace zmtp
