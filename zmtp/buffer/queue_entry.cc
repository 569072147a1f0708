#include "zmtp/buffer/queue_entry.h"

#include <cstring>
#include <utility>

namespace zmtp {

namespace {

// Returns the block of an entry, or nullptr for a message without a slice.
block* memory_of(const queue_entry& e) noexcept {
  const auto* const run = std::get_if<message_run>(&e);
  return run != nullptr ? run->memory.get() : std::get_if<message>(&e)->tail_block();
}

// Returns whether the block can only be in one queue.
bool unshared(const queue_entry& e) noexcept {
  const auto* const run = std::get_if<message_run>(&e);
  return run != nullptr && !run->shared;
}

}  // namespace

std::size_t pieces_of(const queue_entry& e, std::size_t skip,
                      std::span<std::span<const std::byte>> to) noexcept {
  if (const auto* c = std::get_if<message_run>(&e)) {
    to[0] = std::span<const std::byte>{c->data, c->size}.subspan(skip);
    return 1;
  }
  const auto& m = *std::get_if<message>(&e);
  const auto head = m.head();
  if (skip >= head.size()) {
    to[0] = m.tail().subspan(skip - head.size());
    return 1;
  }
  to[0] = head.subspan(skip);
  if (to.size() == 1 || m.tail().empty()) {
    return 1;
  }
  to[1] = m.tail();
  return 2;
}

void charge(const queue_entry& e, memory_account* account) noexcept {
  if (account == nullptr) {
    return;
  }
  account->add(sizeof(queue_entry));
  if (auto* const memory = memory_of(e);
      memory != nullptr && (unshared(e) || memory->enter_queue())) {
    account->add(memory->capacity());
  }
}

bool discharge(const queue_entry& e, memory_account* account) noexcept {
  if (account == nullptr) {
    return false;
  }
  account->subtract(sizeof(queue_entry));
  auto* const memory = memory_of(e);
  const bool last = memory != nullptr && (unshared(e) || memory->leave_queue());
  if (last) {
    account->subtract(memory->capacity());
  }
  return last;
}

void compact(queue_entry& e, memory_account* account) {
  if (auto* m = std::get_if<message>(&e)) {
    if (m->wasteful()) {
      message own{*m};
      own.compact();
      (void)discharge(e, account);
      *m = std::move(own);
      charge(e, account);
    }
  } else if (auto* c = std::get_if<message_run>(&e);
             c->shared && c->size < c->memory->capacity() / 4) {
    block_ptr own{block::create(c->size)};
    std::memcpy(own->data(), c->data, c->size);
    (void)discharge(e, account);
    c->data = own->data();
    c->memory = std::move(own);
    charge(e, account);
  }
}

}  // namespace zmtp
