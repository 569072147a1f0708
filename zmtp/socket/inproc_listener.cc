#include "zmtp/socket/inproc_listener.h"

#include "zmtp/socket/inproc_channel.h"
#include "zmtp/socket/inproc_link.h"

#include <boost/asio/prefer.hpp>

#include <new>
#include <utility>

namespace zmtp {

inproc_listener::inproc_listener(socket_core& core)
    : core_{&core}, where_{std::make_shared<remote_executor>(core.executor())} {}

error_code inproc_listener::open(const endpoint& at) {
  const auto ec = inproc_registry::of_process().bind(at.inproc()->name, {where_, weak_from_this()});
  if (!ec) {
    asked_for_ = bound_ = at;
    work_ = asio::prefer(core_->executor(), asio::execution::outstanding_work.tracked);
  }
  return ec;
}

void inproc_listener::on_call(std::shared_ptr<inproc_channel> channel) {
  if (core_ == nullptr) {
    channel->leave(inproc_channel::end::binding);
    return;
  }
  const auto core = core_->shared_from_this();
  std::shared_ptr<inproc_link> link;
  try {
    link = std::make_shared<inproc_link>(core, channel, inproc_channel::end::binding, std::nullopt);
    link->came_by(std::make_shared<const endpoint>(bound_));
    core->links().add(link);
  } catch (const std::bad_alloc&) {
    // The connecting side tries again.
    channel->leave(inproc_channel::end::binding);
    return;
  }
  core->turn([&] { link->start(); });
}

void inproc_listener::close() noexcept {
  if (std::exchange(core_, nullptr) == nullptr) {
    return;
  }
  where_->close();
  if (const auto* at = bound_.inproc()) {
    inproc_registry::of_process().unbind(at->name);
  }
  work_ = {};
}

}  // namespace zmtp
