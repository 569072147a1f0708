#pragma once
// One entry of a send queue: its bytes, the memory that it holds, and how it is compacted.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/memory_account.h"
#include "zmtp/message.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace zmtp {

// Whole framed messages in one block.
struct message_chunk {
  block_ptr memory;
  std::uint32_t size = 0;
  std::uint32_t messages = 0;
  bool shared = false;  // shared with other queues, so nothing may be appended
};

// A chunk, or a message with a large slice, which is written without a copy.
using queue_entry = std::variant<message_chunk, message>;

// Returns the framed bytes of an entry.
[[nodiscard]] inline std::size_t size_of(const queue_entry& e) noexcept {
  const auto* c = std::get_if<message_chunk>(&e);
  return c != nullptr ? c->size : std::get_if<message>(&e)->framed_size();
}

[[nodiscard]] inline std::size_t messages_of(const queue_entry& e) noexcept {
  const auto* c = std::get_if<message_chunk>(&e);
  return c != nullptr ? c->messages : 1;
}

// Fills `to`, which must not be empty, with the pieces of the entry from byte `skip` on. Returns
// their number, at most two.
[[nodiscard]] std::size_t pieces_of(const queue_entry& e, std::size_t skip,
                                    std::span<std::span<const std::byte>> to) noexcept;

// Adds the memory of an entry to the account, if there is one: whole blocks, each once.
void charge(const queue_entry& e, memory_account* account) noexcept;
// Subtracts it again. Returns whether the entry is counted and in no other queue.
bool discharge(const queue_entry& e, memory_account* account) noexcept;
// Copies the entry into a block of its own size, if it would pin a much larger one.
void compact(queue_entry& e, memory_account* account);

}  // namespace zmtp
