#include "zmtp/socket/dealer_socket.h"

#include "zmtp/routing/dealer_state.h"
#include "zmtp/socket/batch.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

dealer_socket::dealer_socket(asio::any_io_executor executor)
    : dealer_socket{std::move(executor), socket_options{}} {}

dealer_socket::dealer_socket(asio::any_io_executor executor, const socket_options& options)
    : socket{make_core<dealer_state>(std::move(executor), options)},
      state_{&static_cast<dealer_state&>(core_->state())} {}

send_status dealer_socket::try_send(message&& m) {
  const serial_check::scope alone{core_->serial()};
  if (!core_->open() || m.empty()) {
    return send_status::unknown;
  }
  if (core_->senders_wait()) {
    return send_status::full;
  }
  if (!state_->writable()) {
    core_->flush();
  }
  const auto status = state_->send(std::move(m));
  core_->schedule();
  return status;
}

bool dealer_socket::try_receive(message& to) {
  const serial_check::scope alone{core_->serial()};
  const auto received = state_->receive(to);
  core_->schedule();
  return received;
}

void dealer_socket::start_send(message&& m, deadline until, sent_handler handler) {
  core_->start(waiting_room::side::to_send, std::move(handler), until,
               [state = state_, m = std::move(m)](error_code& ec) mutable {
                 if (m.empty()) {
                   ec = errc::bad_message;
                   return true;
                 }
                 return state->send(std::move(m)) == send_status::queued;
               });
}

void dealer_socket::start_send(std::vector<message>& batch, deadline until, count_handler handler) {
  core_->start(waiting_room::side::to_send, std::move(handler), until,
               [core = core_.get(), state = state_, &batch](error_code& ec, std::size_t& sent) {
                 return send_batch(batch, ec, sent, [&](message&& m) {
                   if (!state->writable()) {
                     core->flush();
                   }
                   return state->send(std::move(m));
                 });
               });
}

void dealer_socket::start_receive(deadline until, message_handler handler) {
  core_->start(waiting_room::side::to_receive, std::move(handler), until,
               [state = state_](error_code&, message& to) { return state->receive(to); });
}

void dealer_socket::start_receive(std::vector<message>& batch, deadline until,
                                  count_handler handler) {
  core_->start(waiting_room::side::to_receive, std::move(handler), until,
               [state = state_, &batch](error_code&, std::size_t& count) {
                 return receive_batch(batch, count, *state);
               });
}

void dealer_socket::start_receive(std::vector<routed_message>& batch, deadline until,
                                  count_handler handler) {
  core_->start(waiting_room::side::to_receive, std::move(handler), until,
               [state = state_, &batch](error_code&, std::size_t& count) {
                 return receive_batch(batch, count, *state);
               });
}

void dealer_socket::start_wait_readable(deadline until, sent_handler handler) {
  core_->start(waiting_room::side::to_receive, std::move(handler), until,
               [state = state_](error_code&) { return state->readable(); });
}

void dealer_socket::start_wait_writable(deadline until, sent_handler handler) {
  core_->start(waiting_room::side::to_send, std::move(handler), until,
               [state = state_](error_code&) { return state->writable(); });
}

}  // namespace zmtp
