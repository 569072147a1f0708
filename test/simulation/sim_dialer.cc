#include "test/simulation/sim_dialer.h"

#include "test/simulation/sim_socket.h"

#include <utility>

namespace zmtp::simulation {

sim_dialer::sim_dialer(sim_socket& owner, std::string_view to, peer_id pipe)
    : socket_{&owner}, to_{to}, pipe_{pipe}, backoff_{owner.state().options().reconnect} {}

void sim_dialer::attempt() {
  if (socket_ == nullptr) {
    return;
  }
  socket_->net().connect(to_, socket_->host(), [self = shared_from_this()](auto stream) {
    auto* const socket = self->socket_;
    if (socket == nullptr) {
      if (stream) {
        stream->close(end_of_stream::connecting);
      }
      return;
    }
    if (!stream) {
      self->wait({}, false);
      return;
    }
    auto link = std::make_shared<sim_link>(
        *socket, std::move(stream), end_of_stream::connecting, self->pipe_,
        [self](error_code reason, std::chrono::milliseconds lasted) {
          self->wait(lasted, reason == errc::refused_by_peer || reason == errc::not_admitted ||
                                 (lasted.count() == 0 && reason != errc::connection_lost &&
                                  reason != errc::handshake_timeout));
        });
    self->link_ = link;
    socket->add(link);
    socket->turn([&] { link->start(); });
  });
}

void sim_dialer::wait(std::chrono::milliseconds lasted, bool refused) {
  if (socket_ == nullptr) {
    return;
  }
  const auto wait = backoff_.next(lasted, refused, socket_->random());
  (void)socket_->net().after(socket_->host(), wait,
                             [self = shared_from_this()] { self->attempt(); });
}

}  // namespace zmtp::simulation
