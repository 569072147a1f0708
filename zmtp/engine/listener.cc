#include "zmtp/engine/listener.h"

#include "zmtp/engine/stream_link.h"
#include "zmtp/transport/layered.h"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace zmtp {

namespace {

// Pauses without descriptors or memory. They double. After resources are available again, accepting
// resumes within a second.
constexpr std::chrono::milliseconds first_pause{100};
constexpr std::chrono::milliseconds longest_pause{800};

// Returns whether the machine has reached a limit, independent of the connecting peer.
bool is_shortage(const error_code& ec) noexcept {
  return ec == errc::out_of_memory || ec == asio::error::no_descriptors ||
         ec == asio::error::no_memory || ec == asio::error::no_buffer_space ||
         ec == boost::system::errc::too_many_files_open_in_system ||
         ec == boost::system::errc::no_space_on_device;  // the limit of epoll watches
}

}  // namespace

listener::listener(socket_core& core)
    : core_{&core},
      acceptor_{transport::network::of(core.executor())
                    .make_acceptor(core.executor(), core.options().transport)},
      timer_{core.executor()},
      pause_{first_pause} {}

error_code listener::open(const endpoint& at) {
  asked_for_ = at;
  auto tls = transport::tls_context::make(websocket::side::server, at,
                                          core_->options().transport.tls, core_->executor());
  if (!tls) {
    return tls.error();
  }
  tls_ = std::move(*tls);
  const auto ec = acceptor_->open(at.carrier(), core_->options().backlog);
  if (!ec) {
    bound_ = at.over(acceptor_->bound());
    at_ = std::make_shared<const endpoint>(bound_);
    accept();
  }
  return ec;
}

void listener::accept() {
  if (core_ == nullptr || waiting_) {
    return;
  }
  acceptor_->wait(shared_from_this());
  waiting_ = true;
}

void listener::on_acceptable(error_code ec) {
  waiting_ = false;
  if (core_ == nullptr) {
    return;
  }
  const auto core = core_->shared_from_this();
  // After an error, the wait itself failed without memory.
  if (!ec) {
    try {
      ec = take_one();
    } catch (const std::bad_alloc&) {
      // The connection in progress is closed. The listener must not end with it.
      ec = errc::out_of_memory;
    }
  }
  if (ec && core_ != nullptr) {
    wait_for_descriptors(ec);
  }
}

// Accepts a pending connection and waits for more, unless all slots are taken. One for each event:
// attached peers are served in between, however many connect. Returns an error if a resource is
// short.
error_code listener::take_one() {
  const auto core = core_->shared_from_this();
  if (!make_room()) {
    return {};
  }
  error_code ec;
  auto accepted = acceptor_->accept(ec);
  if (is_shortage(ec)) {
    return ec;
  }
  // After another error, the connection had ended before it was accepted.
  if (!ec) {
    take(std::move(accepted));
  }
  accept();
  return {};
}

void listener::take(std::unique_ptr<transport::stream> accepted) {
  const auto core = core_->shared_from_this();
  pause_ = first_pause;
  const auto remote = accepted->remote();
  const auto& from = remote.host;
  if (!shares_.enter(from, core->options().pending_handshakes)) {
    turn_away(remote.address);
    return;
  }
  std::shared_ptr<stream_link> link;
  try {
    if (const auto fault = tls_ != nullptr ? tls_->refresh() : error_code{}) {
      report(monitor_event::kind::certificate_kept, fault);
    }
    link = std::make_shared<stream_link>(
        core,
        transport::layered(std::move(accepted), websocket::side::server, bound_,
                           core->options().transport, tls_.get(), core->executor()),
        std::nullopt);
    link->came_by(at_, shared_from_this());
    pending_.push_back({.link = link.get(), .from = from});
    core->links().add(link);
  } catch (const std::bad_alloc&) {
    std::erase_if(pending_, [&](const handshake& h) { return h.link == link.get(); });
    shares_.leave(from);
    throw;
  }
  core->turn([&] { link->start(); });
}

void listener::on_handshake_over(const peer_link& of) {
  const auto over =
      std::ranges::find_if(pending_, [&](const handshake& h) { return h.link == &of; });
  shares_.leave(over->from);
  pending_.erase(over);
  accept();
}

// The address already has its share of the handshakes. Closes the connection without ERROR, so that
// others can still connect.
void listener::turn_away(const std::string& address) {
  core_->state().on_ended(errc::too_many_handshakes_from_address);
  core_->monitors().report([&] {
    monitor_event event;
    event.what = monitor_event::kind::refused;
    event.endpoint = bound_.to_string();
    event.info.address = address;
    event.reason = errc::too_many_handshakes_from_address;
    return event;
  });
}

bool listener::full() const noexcept {
  return pending_.size() >= core_->options().pending_handshakes;
}

bool listener::make_room() {
  while (core_ != nullptr) {
    const auto now = core_->now();
    const auto& options = core_->options();
    const handshake_room room{options.pending_handshakes, options.limit.handshake_silence};
    const auto verdict =
        room.decide(pending_.size(), [&](std::size_t i) { return pending_[i].link->silence(now); });
    switch (verdict.what) {
      case handshake_room::verdict::kind::room: return true;
      case handshake_room::verdict::kind::wait:
        report(monitor_event::kind::accept_paused, errc::too_many_handshakes);
        if (verdict.again_after) {
          accept_after(*verdict.again_after);
        }
        return false;
      case handshake_room::verdict::kind::evict: break;
    }
    auto* const silent = pending_[verdict.which].link;
    const auto alive = silent->shared_from_this();
    core_->turn([&] {
      // After a delay of the event loop, unread bytes of the peer may wait in the kernel.
      silent->listen();
      if (room.may_go(silent->silence(now))) {
        silent->close(errc::handshake_evicted);
      }
    });
  }
  return false;
}

// New connections wait in the kernel's backlog meanwhile. Connected peers are still served.
void listener::wait_for_descriptors(error_code shortage) {
  core_->state().on_accepting_paused();
  waiting_ = true;
  report(monitor_event::kind::accept_paused, shortage);
  try {
    accept_after(std::exchange(pause_, std::min(pause_ * 2, longest_pause)));
  } catch (const std::bad_alloc&) {
    // Without memory for a timer, retry without a pause.
    waiting_ = false;
    accept();
  }
}

void listener::report(monitor_event::kind what, error_code reason) {
  core_->monitors().report([&] {
    monitor_event event;
    event.what = what;
    event.endpoint = bound_.to_string();
    event.reason = reason;
    return event;
  });
}

void listener::accept_after(socket_core::clock::duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait(asio::bind_allocator(
      for_pause_.get_allocator(), [self = shared_from_this(), whole = waiting_](error_code ec) {
        self->waiting_ = self->waiting_ && !whole;
        if (!ec) {
          self->accept();
        }
      }));
}

void listener::close() noexcept {
  core_ = nullptr;
  acceptor_->close();
  timer_.cancel();
}

}  // namespace zmtp
