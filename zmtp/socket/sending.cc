#include "zmtp/socket/sending.h"

#include "zmtp/socket/batch.h"
#include "zmtp/socket/socket_core.h"

namespace zmtp::operations {

namespace {

// Messages of a batch after which inproc peers in other threads get a part of it.
constexpr std::size_t handed_over_at_once = 128;

// A full queue gets one write before the send reports full, and before PUB and REP drop. Inside a
// turn that has already written, it is too early for that.
send_status send(socket_core& core, message&& m) {
  auto status = core.state().send(std::move(m), if_full::say_so);
  if (status == send_status::full && !core.flush_some()) {
    status = core.state().send(std::move(m), if_full::say_so);
  }
  if (status == send_status::full && core.flush()) {
    status = core.state().send(std::move(m), if_full::drop);
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

void start_send(socket_core& core, message&& m, deadline until, sent_handler handler) {
  core.start(waiting_room::side::to_send, std::move(handler), until,
             [&core, m = std::move(m)](error_code& ec) mutable {
               return sent_or_failed(m, ec,
                                     [&](message&& whole) { return send(core, std::move(whole)); });
             });
}

void start_send(socket_core& core, std::vector<message>& batch, deadline until,
                count_handler handler) {
  const auto send_one = [&core, queued = std::size_t{0}](message& m, error_code& ec) mutable {
    if (++queued % handed_over_at_once == 0) {
      core.hand_over();
    }
    return sent_or_failed(m, ec, [&](message&& whole) { return send(core, std::move(whole)); });
  };
  core.start(waiting_room::side::to_send, std::move(handler), until,
             batch_attempt{batch, send_one});
}

void start_wait_writable(socket_core& core, deadline until, sent_handler handler) {
  core.start(waiting_room::side::to_send, std::move(handler), until,
             [&core](error_code&) { return core.state().writable(); });
}

}  // namespace zmtp::operations
