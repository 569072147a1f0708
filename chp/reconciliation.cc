#include "chp/reconciliation.h"

#include "chp/command.h"
#include "chp/properties.h"

#include <algorithm>
#include <string>

namespace chp {

namespace {

// Entries that are looked at for one piece.
constexpr std::size_t looked_at = 8'192;
// About what one takes.
constexpr std::size_t typical_size = 64;

}  // namespace

void reconciliation::begin(std::unique_ptr<store> map, sequence from, sequence base,
                           std::deque<tombstones::erasure> erased,
                           std::unique_ptr<update_register> applied) {
  rewind();
  map_ = std::move(map);
  from_ = from;
  base_ = base;
  erased_ = std::move(erased);
  settlement_ = settlement{std::move(applied)};
}

void reconciliation::rewind() noexcept {
  cursor_.reset();
  next_erased_ = 0;
  applied_.reset();
  offered_ = 0;
  ended_ = false;
}

bool reconciliation::write(std::size_t bytes, time_point now, std::vector<zmtp::message>& out) {
  if (!pending() || ended_) {
    return false;
  }
  std::size_t written = 0;
  bool more = true;
  for (std::size_t looked = 0; more && written < bytes && looked < looked_at;) {
    const auto most = std::min(looked_at - looked, std::max<std::size_t>(bytes / typical_size, 1));
    looked += most;
    more = read(most, [&](const item& one) {
      std::string properties;
      if (one.deadline) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*one.deadline - now);
        append_ttl_left(properties, std::max(left, std::chrono::milliseconds{1}));
      }
      out.push_back(make_resubmission(base_, one.key, one.id, properties, one.value));
      written += out.back().framed_size();
    });
  }
  if (!more && !applied_) {
    applied_.emplace(settlement_.applied()->open_image());
  }
  while (!more && !ended_ && written < bytes) {
    const auto piece = applied_->next();
    ended_ = piece.empty();
    out.push_back(ended_ ? make_resubmission_end(offered_) : make_register_piece(piece));
    written += piece.size();
  }
  return !ended_;
}

}  // namespace chp
