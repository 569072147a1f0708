#include "zmtp/buffer/receive_queue.h"

#include <bit>
#include <cstring>

namespace zmtp {

namespace {

constexpr std::size_t least_entries = 16;

bool wasteful(const message_run& run) noexcept { return run.size < run.memory->capacity() / 4; }

}  // namespace

void receive_queue::push(message&& m) {
  if (m.head().empty() && !m.tail().empty()) {
    append(message_run{.memory = m.share_tail(),
                       .data = const_cast<std::byte*>(m.tail().data()),
                       .size = m.tail().size(),
                       .messages = 1,
                       .shared = true});
    m.clear();
  } else {
    append(std::move(m));
  }
}

void receive_queue::grow() {
  // A ring that is full doubles. A new ring starts with the size that the previous one needed.
  const auto needed = capacity_ == 0 ? std::exchange(peak_, 0) : capacity_ + 1;
  const auto capacity = std::bit_ceil(std::max(needed, least_entries));
  block_ptr ring{block::create(capacity * sizeof(queue_entry))};
  auto* to = reinterpret_cast<queue_entry*>(ring->data());
  for (std::size_t i = 0; i < entries_; ++i) {
    new (to + i) queue_entry{std::move(*slot(i))};
    std::destroy_at(slot(i));
  }
  ring_ = std::move(ring);
  capacity_ = capacity;
  first_ = 0;
}

queue_entry receive_queue::take(std::size_t most) noexcept {
  auto& first = *slot(0);
  auto* const run = std::get_if<message_run>(&first);
  if (run != nullptr && run->messages > most) {
    const auto part =
        frame::first_messages(run->data, run->size, {.bytes = run->size, .messages = most});
    queue_entry taken = first_of(*run, part);
    drop_front(*run, part);
    return taken;
  }
  subtract(charge_of(first), messages_of(first));
  end_charge();
  if (run != nullptr) {
    run->shared = true;
  }
  auto taken = std::move(first);
  drop_first();
  return taken;
}

void receive_queue::clear() noexcept {
  while (entries_ != 0) {
    subtract(charge_of(*slot(0)), messages_of(*slot(0)));
    end_charge();
    drop_first();
  }
  first_ = 0;
  capacity_ = 0;
  ring_ = block_ptr{};
}

void receive_queue::compact() {
  auto kept = compacted_;
  for (auto i = compacted_; i < entries_; ++i) {
    auto& e = *slot(i);
    if (account_ != nullptr) {
      account_->subtract(charge_of(e));
    }
    auto* const run = std::get_if<message_run>(&e);
    if (run != nullptr && wasteful(*run) && merged(kept, *run)) {
      continue;
    }
    try {
      if (run == nullptr) {
        std::get_if<message>(&e)->compact();
      } else if (wasteful(*run)) {
        copy_out(*run);
      }
    } catch (const std::bad_alloc&) {
      // Without memory, the messages keep their buffer.
    }
    charge(e, account_);
    if (i != kept) {
      *slot(kept) = std::move(e);
    }
    ++kept;
  }
  for (auto i = kept; i < entries_; ++i) {
    std::destroy_at(slot(i));
  }
  entries_ = compacted_ = kept;
  if (size_ == 0) {
    clear();
  }
}

// Copies the run into a block of its own. If messages remain turn after turn, the block has space
// for more.
void receive_queue::copy_out(message_run& run) const {
  const auto more = compacted_ == 0 ? 0 : std::min(bytes_, block_size::large);
  block_ptr own{block::create(std::max(run.size, more))};
  std::memcpy(own->data(), run.data, run.size);
  run.data = own->data();
  run.memory = std::move(own);
  run.shared = false;
}

// Copies the run into the block of the entry before `before`, if that block has space.
bool receive_queue::merged(std::size_t before, const message_run& run) noexcept {
  auto* const last = before != 0 ? std::get_if<message_run>(slot(before - 1)) : nullptr;
  if (last == nullptr || last->shared) {
    return false;
  }
  auto* const end = last->data + last->size;
  const auto room = last->memory->capacity() - static_cast<std::size_t>(end - last->memory->data());
  if (run.size > room) {
    return false;
  }
  std::memcpy(end, run.data, run.size);
  last->size += run.size;
  last->messages += run.messages;
  return true;
}

// The user has taken most of the messages in this block.
void receive_queue::shrink_first() noexcept {
  auto& first = *slot(0);
  auto& run = *std::get_if<message_run>(&first);
  if (run.memory->capacity() <= block_size::small) {
    return;
  }
  try {
    block_ptr own{block::create(run.size)};
    std::memcpy(own->data(), run.data, run.size);
    (void)discharge(first, account_);
    run = {.memory = std::move(own), .size = run.size, .messages = run.messages};
    run.data = run.memory->data();
    charge(first, account_);
  } catch (const std::bad_alloc&) {
    // Without memory, the messages keep their buffer.
  }
}

}  // namespace zmtp
