#include "test/chp/simulation/sim_dialer.h"

#include "test/chp/simulation/sim_socket.h"

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
      self->wait(errc::connection_lost, {});
      return;
    }
    auto link = std::make_shared<sim_link>(
        *socket, std::move(stream), end_of_stream::connecting, self->pipe_,
        [self](error_code reason, std::optional<std::chrono::milliseconds> lasted) {
          self->wait(reason, lasted);
        });
    self->link_ = link;
    socket->add(link);
    socket->turn([&] { link->start(); });
  });
}

void sim_dialer::wait(error_code reason, std::optional<std::chrono::milliseconds> lasted) {
  if (socket_ == nullptr) {
    return;
  }
  if (const auto wait = backoff_.on_end(reason, lasted, socket_->random())) {
    (void)socket_->net().after(socket_->host(), *wait,
                               [self = shared_from_this()] { self->attempt(); });
  } else {
    socket_->give_up(shared_from_this());
  }
}

}  // namespace zmtp::simulation
