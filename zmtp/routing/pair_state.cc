#include "zmtp/routing/pair_state.h"

#include <utility>

namespace zmtp {

pipe& pair_state::open_pipe(bool durable) {
  auto& p = socket_state::open_pipe(durable);
  if (durable && !peer_) {
    // A connect endpoint takes messages before its connection is up.
    peer_ = p.id;
  }
  return p;
}

socket_state::verdict pair_state::on_admission(std::optional<peer_id> id, const peer_info&) {
  if (peer_ && peer_ != id) {
    return {.refused = errc::already_paired, .probe = {}, .evict = {}};
  }
  return {};
}

void pair_state::on_attached(pipe& p, peer_info info, std::uint32_t random) {
  peer_ = p.id;
  socket_state::on_attached(p, std::move(info), random);
}

void pair_state::close_pipe(pipe& p) {
  if (peer_ == p.id) {
    peer_.reset();
  }
  socket_state::close_pipe(p);
}

send_status pair_state::send(message&& m, if_full) {
  return writable() ? queue_for(*peer_, std::move(m)) : send_status::full;
}

bool pair_state::writable() const noexcept { return peer_ && socket_state::writable(*peer_); }

}  // namespace zmtp
