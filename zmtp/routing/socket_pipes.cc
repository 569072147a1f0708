#include "zmtp/routing/socket_pipes.h"

#include <algorithm>
#include <memory>

namespace zmtp {

bool socket_pipes::unwritten() const noexcept {
  bool any = false;
  for_each_pipe([&](const pipe& p) { any = any || !p.out.empty(); });
  return any;
}

void socket_pipes::add_dirty(pipe& p) {
  if (dirty_.full()) {
    dirty_.set_capacity(std::max<std::size_t>(16, 2 * dirty_.capacity()));
  }
  p.dirty = true;
  dirty_.push_back(p.id);
}

void socket_pipes::pause(pipe& p) noexcept {
  if (p.closing) {
    return;
  }
  p.paused = true;
  readable_.erase(p.id.slot);
}

void socket_pipes::pass_on(pipe& last, pipe& next) {
  next.info = last.info;
  next.counters = std::exchange(last.counters, {});
  if (!last.holder) {
    last.holder = std::make_shared<peer_id>();
  }
  next.holder = last.holder;
  *next.holder = next.id;
}

}  // namespace zmtp
