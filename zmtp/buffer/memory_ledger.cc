#include "zmtp/buffer/memory_ledger.h"

#include <algorithm>

namespace zmtp {

namespace {

using step = queue_ledger::step;

step up(step s) noexcept { return static_cast<step>(static_cast<std::uint8_t>(s) + 1); }
step down(step s) noexcept { return static_cast<step>(static_cast<std::uint8_t>(s) - 1); }

}  // namespace

void queue_ledger::change(std::ptrdiff_t by) noexcept {
  used_ += by;
  look();
}

void queue_ledger::set_budget(std::size_t bytes) noexcept {
  budget_ = bytes;
  look();
}

void queue_ledger::look() noexcept {
  const auto before = now_;
  while (now_ != step::spent && used() > begin_of(up(now_))) {
    now_ = up(now_);
  }
  while (now_ != step::ample && used() <= end_of(now_)) {
    now_ = down(now_);
  }
  times_scarce_ += before == step::ample && now_ != step::ample ? 1U : 0U;
}

// The step begins above this use.
std::size_t queue_ledger::begin_of(step s) const noexcept {
  switch (s) {
    case step::ample: break;
    case step::scarce: return budget_ / 2;
    case step::little: return budget_ - budget_ / 4;
    case step::spent: return budget_ - budget_ / 8;
  }
  return 0;
}

std::size_t queue_ledger::end_of(step s) const noexcept { return begin_of(s) - budget_ / 8; }

std::size_t queue_ledger::quota() const noexcept {
  switch (now_) {
    case step::ample: break;
    case step::scarce: return std::max(budget_ / 32, least);
    case step::little: return std::max(budget_ / 256, least);
    case step::spent: return least;
  }
  return memory_account::unlimited;
}

std::size_t queue_ledger::unheard() const noexcept {
  constexpr std::size_t few = 16 * 1024;
  constexpr std::size_t many = 256 * 1024;
  return std::clamp(budget_ / 4'096, few, many);
}

partial_message_ledger::entry* partial_message_ledger::hold(entry& who,
                                                            std::size_t bytes) noexcept {
  if (who.evicted_) {
    return &who;
  }
  if (bytes > who.bytes_ && !fits(bytes - who.bytes_)) {
    auto& goes = worth_least(who, bytes);
    release(goes);
    goes.evicted_ = true;
    return &goes;
  }
  release(who);
  who.bytes_ = bytes;
  who.changed_ = ++changes_;
  used_ += bytes;
  entries_.insert(who);
  return nullptr;
}

partial_message_ledger::entry& partial_message_ledger::worth_least(entry& who,
                                                                   std::size_t bytes) noexcept {
  for (auto each = entries_.rbegin(); each != entries_.rend(); ++each) {
    if (&*each != &who) {
      return each->bytes_ >= bytes ? *each : who;
    }
  }
  return who;
}

void partial_message_ledger::release(entry& who) noexcept {
  if (who.is_linked()) {
    entries_.erase(entries_.iterator_to(who));
    used_ -= who.bytes_;
  }
  who.bytes_ = 0;
  who.evicted_ = false;
}

}  // namespace zmtp
