#pragma once
// One entry of a queue or of a batch: its bytes, the memory that it holds, and how it is compacted.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/memory_account.h"
#include "zmtp/frame.h"
#include "zmtp/message.h"

#include <cstddef>
#include <span>
#include <variant>

namespace zmtp {

// Whole framed messages that follow each other in one block.
struct message_run {
  block_ptr memory;
  std::byte* data = nullptr;  // in `memory`
  std::size_t size = 0;
  std::size_t messages = 0;
  bool shared = false;  // the block may be used elsewhere, so nothing may be appended

  // Removes messages at the front.
  void drop_front(frame::cut first) noexcept {
    data += first.bytes;
    size -= first.bytes;
    messages -= first.messages;
  }
};

// Returns the first messages of a run.
[[nodiscard]] inline message_run first_of(const message_run& run, frame::cut part) {
  return {.memory = run.memory,
          .data = run.data,
          .size = part.bytes,
          .messages = part.messages,
          .shared = true};
}

// A run, or a message whose bytes are not contiguous: a large slice with an envelope.
using queue_entry = std::variant<message_run, message>;

// Returns the framed bytes of an entry.
[[nodiscard]] inline std::size_t size_of(const queue_entry& e) noexcept {
  const auto* const run = std::get_if<message_run>(&e);
  return run != nullptr ? run->size : std::get_if<message>(&e)->framed_size();
}

[[nodiscard]] inline std::size_t messages_of(const queue_entry& e) noexcept {
  const auto* const run = std::get_if<message_run>(&e);
  return run != nullptr ? run->messages : 1;
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
