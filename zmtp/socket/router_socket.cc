#include "zmtp/socket/router_socket.h"

#include "zmtp/routing/router_state.h"
#include "zmtp/socket/batch.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

namespace {

// One attempt to send one message; true when there is no more to try.
bool attempt(socket_core& core, router_state& state, peer_id to, message& m, error_code& ec) {
  if (m.empty()) {
    ec = errc::bad_message;
    return true;
  }
  auto status = state.send(to, std::move(m));
  if (status == send_status::full) {
    if (!core.flush()) {
      return false;
    }
    status = state.send(to, std::move(m));
  }
  if (status == send_status::queued) {
    return true;
  }
  if (!core.options().mandatory) {
    state.count_drop(status);
    return true;
  }
  if (status == send_status::unknown) {
    ec = errc::host_unreachable;
  }
  return status == send_status::unknown;
}

}  // namespace

router_socket::router_socket(asio::any_io_executor executor)
    : router_socket{std::move(executor), socket_options{}} {}

router_socket::router_socket(asio::any_io_executor executor, const socket_options& options)
    : socket{make_core<router_state>(std::move(executor), options)},
      state_{&static_cast<router_state&>(core_->state())} {}

send_status router_socket::try_send(peer_id to, message&& m) {
  const serial_check::scope alone{core_->serial()};
  if (!core_->open() || m.empty()) {
    return send_status::unknown;
  }
  if (core_->senders_wait(to)) {
    return send_status::full;
  }
  auto status = state_->send(to, std::move(m));
  if (status == send_status::full) {
    core_->flush();
    status = state_->send(to, std::move(m));
  }
  core_->schedule();
  return status;
}

bool router_socket::try_receive(routed_message& to) {
  const serial_check::scope alone{core_->serial()};
  const auto received = state_->receive(to);
  core_->schedule();
  return received;
}

void router_socket::start_send(peer_id to, message&& m, deadline until, sent_handler handler) {
  core_->start(
      waiting_room::side::to_send, std::move(handler), until,
      [core = core_.get(), state = state_, to, m = std::move(m)](error_code& ec) mutable {
        return attempt(*core, *state, to, m, ec);
      },
      to);
}

void router_socket::start_send(std::vector<routed_message>& batch, deadline until,
                               count_handler handler) {
  core_->start(waiting_room::side::to_send, std::move(handler), until,
               [core = core_.get(), state = state_, &batch](error_code& ec, std::size_t& sent) {
                 std::size_t done = 0;
                 while (done < batch.size() &&
                        attempt(*core, *state, batch[done].peer, batch[done].content, ec) && !ec) {
                   ++done;
                 }
                 sent += done;
                 batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(done));
                 return batch.empty() || ec;
               });
}

void router_socket::start_wait_readable(deadline until, sent_handler handler) {
  core_->start(waiting_room::side::to_receive, std::move(handler), until,
               [state = state_](error_code&) { return state->readable(); });
}

void router_socket::start_wait(peer_id to, deadline until, sent_handler handler) {
  core_->start(
      waiting_room::side::to_send, std::move(handler), until,
      [state = state_, to](error_code& ec) {
        if (const auto* p = state->find(to); p == nullptr || p->closing) {
          ec = errc::host_unreachable;
          return true;
        }
        return state->writable(to);
      },
      to);
}

void router_socket::start_receive(deadline until, message_handler handler) {
  core_->start(waiting_room::side::to_receive, std::move(handler), until,
               [state = state_](error_code&, routed_message& to) { return state->receive(to); });
}

void router_socket::start_receive(std::vector<routed_message>& batch, deadline until,
                                  count_handler handler) {
  core_->start(waiting_room::side::to_receive, std::move(handler), until,
               [state = state_, &batch](error_code&, std::size_t& count) {
                 return receive_batch(batch, count, *state);
               });
}

std::optional<peer_id> router_socket::find(std::string_view routing_id) const noexcept {
  return state_->find_routing_id(routing_id);
}

const peer_info* router_socket::info(peer_id peer) const noexcept {
  const auto* p = state_->find(peer);
  return p != nullptr ? &p->info : nullptr;
}

void router_socket::pause(peer_id peer) {
  const serial_check::scope alone{core_->serial()};
  if (auto* p = state_->find(peer)) {
    state_->pause(*p);
  }
}

void router_socket::resume(peer_id peer) {
  const serial_check::scope alone{core_->serial()};
  if (auto* p = state_->find(peer)) {
    state_->resume(*p);
    core_->schedule();
  }
}

void router_socket::disconnect(peer_id peer) { core_->disconnect(peer); }

}  // namespace zmtp
