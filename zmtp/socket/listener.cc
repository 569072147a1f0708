#include "zmtp/socket/listener.h"

#include "zmtp/socket/wire_link.h"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

// Connections taken for each time the listener is readable.
constexpr int accepts_per_turn = 64;
constexpr std::chrono::milliseconds pause_without_descriptors{100};

}  // namespace

listener::listener(socket_core& core)
    : core_{&core}, acceptor_{core.executor()}, pause_{core.executor()} {}

error_code listener::open(const endpoint& at) {
  asked_for_ = at;
  return transport::listen(acceptor_, at, core_->options().backlog, bound_);
}

void listener::start() { accept(); }

void listener::accept() {
  // While there are too many handshakes, newcomers wait in the kernel's backlog.
  if (core_ == nullptr || waiting_ || pending_ >= core_->options().pending_handshakes) {
    return;
  }
  waiting_ = true;
  acceptor_.async_wait(asio::ip::tcp::acceptor::wait_read,
                       [self = shared_from_this()](error_code ec) {
                         self->waiting_ = false;
                         self->on_acceptable(ec);
                       });
}

void listener::on_acceptable(error_code ec) {
  if (ec || core_ == nullptr) {
    return;
  }
  const auto core = core_->shared_from_this();
  for (int i = 0; i < accepts_per_turn && core_ != nullptr; ++i) {
    if (pending_ >= core->options().pending_handshakes) {
      return;
    }
    transport::stream accepted{core->executor()};
    asio::ip::tcp::socket socket{core->executor()};
    acceptor_.accept(socket, ec);
    if (ec == asio::error::would_block) {
      break;
    }
    if (ec == asio::error::no_descriptors ||
        ec == boost::system::errc::too_many_files_open_in_system || ec == asio::error::no_memory ||
        ec == asio::error::no_buffer_space) {
      wait_for_descriptors();
      return;
    }
    if (ec) {
      continue;  // this one was gone before it was accepted
    }
    accepted = std::move(socket);
    transport::set_up(accepted);
    ++pending_;
    auto link = std::make_shared<wire_link>(core, std::move(accepted), std::nullopt, nullptr);
    link->on_handshake_over([self = shared_from_this()] {
      --self->pending_;
      self->accept();
    });
    core->add(link);
    core->turn([&] { link->start(); });
  }
  accept();
}

void listener::wait_for_descriptors() {
  pause_.expires_after(pause_without_descriptors);
  pause_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec) {
      self->accept();
    }
  });
}

void listener::close() noexcept {
  core_ = nullptr;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

}  // namespace zmtp
