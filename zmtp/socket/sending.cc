#include "zmtp/socket/sending.h"

#include "zmtp/engine/socket_core.h"

namespace zmtp::operations {

namespace {

// Sends a message, or messages at the front of a batch. A full queue gets one write before the send
// reports full, and before PUB and REP drop. Inside a turn that has already written, it is too
// early for that.
template <class Item>
send_status send_some(socket_core& core, Item&& what) {
  auto status = core.state().send(std::forward<Item>(what), if_full::report);
  if (status == send_status::full && !core.flush_some()) {
    status = core.state().send(std::forward<Item>(what), if_full::report);
  }
  if (status == send_status::full && core.flush()) {
    status = core.state().send(std::forward<Item>(what), if_full::drop);
  }
  return status;
}

send_status send(socket_core& core, message&& m) { return send_some(core, std::move(m)); }

// Sends all messages that can be queued now. The result is about the first one that is left.
send_status send(socket_core& core, message_batch& batch) {
  auto status = send_status::queued;
  while (status == send_status::queued && socket_state::skip_notices(batch)) {
    status = send_some(core, batch);
    core.hand_over();
  }
  return status;
}

}  // namespace

send_status try_send(socket_core& core, message&& m) {
  const serial_check::scope alone{core.serial()};
  if (!core.open()) {
    return send_status::closed;
  }
  if (!socket_state::sendable(m)) {
    return send_status::bad_message;
  }
  if (core.senders_wait()) {
    return send_status::full;
  }
  const auto status = send(core, std::move(m));
  core.schedule();
  return status;
}

send_status try_send(socket_core& core, message_batch& batch) {
  const serial_check::scope alone{core.serial()};
  if (!core.open()) {
    return send_status::closed;
  }
  if (core.senders_wait()) {
    return send_status::full;
  }
  const auto status = send(core, batch);
  core.schedule();
  return status;
}

void start_send(socket_core& core, message_batch& batch, deadline until, count_handler&& handler) {
  core.start(pending_operations::side::to_send, std::move(handler), until,
             [&core, &batch, before = batch.size()](error_code& ec, std::size_t& sent) {
               const auto status = send(core, batch);
               sent = before - batch.size();
               ec = to_error(status);
               return status != send_status::full;
             });
}

void start_send(socket_core& core, message&& m, deadline until, sent_handler&& handler) {
  core.start(pending_operations::side::to_send, std::move(handler), until,
             [&core, m = std::move(m)](error_code& ec) mutable {
               const auto status =
                   socket_state::sendable(m) ? send(core, std::move(m)) : send_status::bad_message;
               ec = to_error(status);
               return status != send_status::full;
             });
}

void start_wait_writable(socket_core& core, deadline until, sent_handler&& handler) {
  core.start(pending_operations::side::to_send, std::move(handler), until,
             [&core](error_code&) { return core.state().writable(); });
}

namespace {

// Attempts once to send one message. Returns true when the operation is over.
bool attempt(socket_core& core, peer_id to, message& m, error_code& ec) {
  if (m.empty()) {
    ec = errc::bad_message;
    return true;
  }
  auto& state = core.state();
  auto status = state.send(to, std::move(m));
  if (status == send_status::full) {
    if (!core.flush(to)) {
      return false;
    }
    status = state.send(to, std::move(m));
  }
  if (status == send_status::queued) {
    return true;
  }
  if (!core.options().mandatory) {
    state.count_drop(to, status);
    return true;
  }
  ec = to_error(status);
  return status != send_status::full;
}

}  // namespace

send_status try_send(socket_core& core, peer_id to, message&& m) {
  const serial_check::scope alone{core.serial()};
  if (!core.open()) {
    return send_status::closed;
  }
  if (m.empty()) {
    return send_status::bad_message;
  }
  if (core.senders_wait(to)) {
    return send_status::full;
  }
  auto status = core.state().send(to, std::move(m));
  if (status == send_status::full) {
    core.flush(to);
    status = core.state().send(to, std::move(m));
  }
  core.schedule();
  return status;
}

void start_send(socket_core& core, peer_id to, message&& m, deadline until,
                sent_handler&& handler) {
  core.start(
      pending_operations::side::to_send, std::move(handler), until,
      [&core, to, m = std::move(m)](error_code& ec) mutable { return attempt(core, to, m, ec); },
      to);
}

namespace {

// Attempts to send all messages. Returns true when the operation is over.
bool attempt(socket_core& core, message_batch& batch, error_code& ec) {
  auto& state = core.state();
  while (socket_state::skip_notices(batch)) {
    const auto to = batch.first_item().peer;
    auto status = state.send_to(batch);
    if (status == send_status::full) {
      if (!core.flush(to)) {
        return false;
      }
      status = state.send_to(batch);
    }
    if (status == send_status::queued) {
      continue;
    }
    if (core.options().mandatory) {
      ec = to_error(status);
      return status != send_status::full;
    }
    state.count_drop(to, status);
    batch.pop_front();
  }
  return true;
}

}  // namespace

send_status try_send_to(socket_core& core, message_batch& batch) {
  const serial_check::scope alone{core.serial()};
  if (!core.open()) {
    return send_status::closed;
  }
  if (core.senders_wait()) {
    return send_status::full;
  }
  auto status = send_status::queued;
  while (status == send_status::queued && socket_state::skip_notices(batch)) {
    const auto to = batch.first_item().peer;
    status = core.state().send_to(batch);
    if (status == send_status::full) {
      core.flush(to);
      status = core.state().send_to(batch);
    }
  }
  core.schedule();
  return status;
}

void start_send_to(socket_core& core, message_batch& batch, deadline until,
                   count_handler&& handler) {
  core.start(pending_operations::side::to_send, std::move(handler), until,
             [&core, &batch, before = batch.size()](error_code& ec, std::size_t& sent) {
               const auto over = attempt(core, batch, ec);
               sent = before - batch.size();
               return over;
             });
}

void start_wait_writable(socket_core& core, peer_id to, deadline until, sent_handler&& handler) {
  core.start(
      pending_operations::side::to_send, std::move(handler), until,
      [&core, to](error_code& ec) {
        if (const auto* p = core.state().find(to); p == nullptr || p->closing) {
          ec = errc::host_unreachable;
          return true;
        }
        return core.state().writable(to);
      },
      to);
}

const peer_info* info(socket_core& core, peer_id peer) noexcept {
  const auto* p = core.state().find(peer);
  return p != nullptr ? &p->info : nullptr;
}

void pause(socket_core& core, peer_id peer) {
  const serial_check::scope alone{core.serial()};
  if (auto* p = core.state().find(peer)) {
    core.state().pause(*p);
  }
}

void resume(socket_core& core, peer_id peer) {
  const serial_check::scope alone{core.serial()};
  if (auto* p = core.state().find(peer)) {
    core.state().resume(*p);
    core.schedule();
  }
}

void disconnect(socket_core& core, peer_id peer) { core.disconnect(peer); }

}  // namespace zmtp::operations
