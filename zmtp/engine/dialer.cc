#include "zmtp/engine/dialer.h"

#include "zmtp/engine/context_service.h"
#include "zmtp/engine/inproc_channel.h"
#include "zmtp/engine/inproc_link.h"
#include "zmtp/engine/inproc_names.h"
#include "zmtp/engine/process_resources.h"
#include "zmtp/engine/stream_link.h"
#include "zmtp/transport/layered.h"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <new>
#include <utility>

namespace zmtp {

dialer::dialer(socket_core& core, const endpoint& to, peer_id pipe,
               std::unique_ptr<transport::tls_context> tls)
    : core_{&core},
      at_{std::make_shared<const endpoint>(to)},
      tls_{std::move(tls)},
      pipe_{pipe},
      backoff_{core.options().reconnect},
      timer_{core.executor()} {}

void dialer::start() {
  if (at_->inproc() != nullptr) {
    // An inproc attempt ends immediately, and user code must never run inside one of its own calls.
    asio::post(core_->executor(), [self = shared_from_this()] { self->attempt(); });
  } else {
    attempt();
  }
}

bool dialer::wanted() const noexcept {
  if (core_ == nullptr) {
    return false;
  }
  const auto* p = core_->state().find(pipe_);
  return p != nullptr && core_->ending().connects(!p->out.empty());
}

bool dialer::active() const noexcept { return core_ != nullptr && (linked_ || wanted()); }

void dialer::attempt() {
  if (!wanted()) {
    return;
  }
  try {
    try_to_connect();
  } catch (const std::bad_alloc&) {
    if (connect_) {
      connect_->cancel();
      connect_.reset();
    }
    if (!linked_) {
      wait(errc::out_of_memory, {});
    }
  }
}

void dialer::try_to_connect() {
  report(monitor_event::kind::connecting);
  if (const auto* in_process = at_->inproc()) {
    call(in_process->name);
  } else {
    connect();
  }
}

void dialer::connect() {
  connect_ = transport::network::of(core_->executor())
                 .make_connector(core_->executor(), core_->options().transport);
  connect_->start(
      at_->carrier(), core_->options().limit.handshake_time,
      [self = shared_from_this()](error_code ec, std::unique_ptr<transport::stream> stream) {
        self->on_connected(ec, std::move(stream));
      });
}

void dialer::on_connected(error_code ec, std::unique_ptr<transport::stream> stream) {
  connect_.reset();
  if (core_ == nullptr) {
    return;
  }
  const auto core = core_->shared_from_this();
  if (ec || !wanted()) {
    if (ec) {
      report(monitor_event::kind::connect_failed, ec);
    }
    wait(ec, {});
    core->check_finished();
    return;
  }
  try {
    if (const auto fault = tls_ != nullptr ? tls_->refresh() : error_code{}) {
      report(monitor_event::kind::certificate_kept, fault);
    }
    adopt(std::make_shared<stream_link>(
        core,
        transport::layered(std::move(stream), websocket::side::client, *at_,
                           core->options().transport, tls_.get(), core->executor()),
        pipe_));
  } catch (const std::bad_alloc&) {
    if (!linked_) {
      wait(errc::out_of_memory, {});
    }
  }
}

// Connects to the listener with this name, now or when it exists.
void dialer::call(const std::string& name) {
  const auto where = std::make_shared<remote_executor>(core_->executor());
  const auto again = [where, who = weak_from_this()] {
    where->post([who] {
      if (const auto self = who.lock()) {
        self->stop_waiting_for_name();
        self->attempt();
      }
    });
  };
  const auto& process = context_service::of(core_->executor()).process();
  const auto door = process->names.find(name, this, again);
  if (!door) {
    names_ = {process, &process->names};
    waiting_for_name_ = where;
    work_ = asio::prefer(core_->executor(), asio::execution::outstanding_work.tracked);
    return;
  }
  using end = inproc_channel::end;
  const auto channel = std::make_shared<inproc_channel>();
  adopt(std::make_shared<inproc_link>(core_->shared_from_this(), channel, end::connecting, pipe_));
  bool called = false;
  try {
    called = door->where->post([who = door->who, channel] {
      if (const auto bound = who.lock()) {
        bound->on_call(channel);
      } else {
        channel->leave(end::binding);
      }
    });
  } catch (const std::bad_alloc&) {
    // The link ends as if the name were not bound, and the dialer tries again.
  }
  if (!called) {
    channel->leave(end::binding);
  }
}

void dialer::stop_waiting_for_name() noexcept {
  if (const auto where = std::exchange(waiting_for_name_, nullptr)) {
    where->close();
    names_->leave(at_->inproc()->name, this);
    work_ = {};
  }
}

void dialer::adopt(const std::shared_ptr<peer_link>& link) {
  link->came_by(at_, shared_from_this());
  link_ = link;
  const auto core = core_->shared_from_this();
  core->links().add(link);
  linked_ = true;
  core->turn([&] { link->start(); });
}

void dialer::wait(error_code reason, std::optional<std::chrono::milliseconds> lasted) {
  if (!wanted()) {
    return;
  }
  backoff_.change(core_->options().reconnect);
  const auto wait = backoff_.on_end(reason, lasted, core_->random());
  if (!wait) {
    core_->endpoints().give_up(shared_from_this(), reason);
    return;
  }
  report(monitor_event::kind::connect_delayed, reason, *wait);
  timer_.expires_after(*wait);
  try {
    timer_.async_wait(
        asio::bind_allocator(for_wait_.get_allocator(), [self = shared_from_this()](error_code ec) {
          if (!ec) {
            self->attempt();
          }
        }));
  } catch (const std::bad_alloc&) {
    // Without memory for a timer, retry without a pause.
    asio::post(core_->executor(), [self = shared_from_this()] { self->attempt(); });
  }
}

void dialer::report(monitor_event::kind what, error_code reason,
                    std::chrono::milliseconds retry_in) {
  core_->monitors().report([&] {
    monitor_event event;
    event.what = what;
    event.endpoint = at_->to_string();
    event.reason = reason;
    event.retry_in = retry_in;
    return event;
  });
}

void dialer::finish() {
  if (!active()) {
    close();
  }
}

void dialer::close() noexcept {
  core_ = nullptr;
  stop_waiting_for_name();
  timer_.cancel();
  if (connect_) {
    connect_->cancel();
    // The connector holds its handler, and the handler holds this dialer.
    connect_.reset();
  }
}

}  // namespace zmtp
