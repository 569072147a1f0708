#include "zmtp/routing/pipe.h"

namespace zmtp {

pipe& pipe_table::open(bool durable) {
  if (free_.empty()) {
    pipes_.emplace_back();
    generations_.push_back(0);
    free_.push_back(static_cast<std::uint32_t>(pipes_.size() - 1));
    free_.reserve(pipes_.size());  // so that erase() does not allocate
  }
  const auto slot = free_.back();
  pipes_[slot] =
      std::make_unique<pipe>(peer_id{slot, generations_[slot] + 1}, durable, *options_, account_);
  ++generations_[slot];
  free_.pop_back();
  return *pipes_[slot];
}

void pipe_table::erase(peer_id id) noexcept {
  if (find(id) != nullptr) {
    pipes_[id.slot].reset();
    free_.push_back(id.slot);
  }
}

}  // namespace zmtp
