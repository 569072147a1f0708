#include "zmtp/socket/listener.h"

#include "zmtp/socket/wire_link.h"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

// Connections taken for each time the listener is readable.
constexpr int accepts_per_turn = 64;
// Without descriptors or memory: doubles, and once there are some again, less than a second goes by.
constexpr std::chrono::milliseconds first_pause{100};
constexpr std::chrono::milliseconds longest_pause{800};

// The machine is at its limit, whoever it is that would connect.
bool is_shortage(const error_code& ec) noexcept {
  return ec == asio::error::no_descriptors || ec == asio::error::no_memory ||
         ec == asio::error::no_buffer_space ||
         ec == boost::system::errc::too_many_files_open_in_system ||
         ec == boost::system::errc::no_space_on_device;  // epoll's watches
}

}  // namespace

listener::listener(socket_core& core)
    : core_{&core},
      acceptor_{core.executor(), core.options().transport},
      timer_{core.executor()},
      pause_{first_pause} {}

error_code listener::open(const endpoint& at) {
  asked_for_ = at;
  return acceptor_.open(at, core_->options().backlog);
}

void listener::start() { accept(); }

void listener::accept() {
  // While there are too many handshakes, newcomers wait in the kernel's backlog.
  if (core_ == nullptr || waiting_ || pending_ >= core_->options().pending_handshakes) {
    return;
  }
  waiting_ = true;
  acceptor_.async_wait([self = shared_from_this()](error_code ec) {
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
    ec = acceptor_.accept(accepted);
    if (ec == asio::error::would_block) {
      break;
    }
    if (is_shortage(ec)) {
      pause();
      return;
    }
    // With another error this one was gone before it was taken.
    if (!ec) {
      take(std::move(accepted));
    }
  }
  accept();
}

void listener::take(transport::stream accepted) {
  const auto core = core_->shared_from_this();
  pause_ = first_pause;
  ++pending_;
  auto link = std::make_shared<wire_link>(core, std::move(accepted), std::nullopt, nullptr);
  link->on_handshake_over([self = shared_from_this()] {
    --self->pending_;
    self->accept();
  });
  core->add(link);
  core->turn([&] { link->start(); });
}

// Those who come wait in the kernel's backlog meanwhile; peers that are there are served.
void listener::pause() {
  core_->state().on_accepting_paused();
  waiting_ = true;
  timer_.expires_after(pause_);
  pause_ = std::min(pause_ * 2, longest_pause);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    self->waiting_ = false;
    if (!ec) {
      self->accept();
    }
  });
}

void listener::close() noexcept {
  core_ = nullptr;
  acceptor_.close();
  timer_.cancel();
}

}  // namespace zmtp
