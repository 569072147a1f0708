#pragma once
// The output of a connection with a framing: whole messages and commands, framed in batches. Pure.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/send_queue.h"
#include "zmtp/conversation/control_output.h"
#include "zmtp/framing/framing.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace zmtp {

// A batch is framed when the one before is written. Its messages stay in their send queue until
// their last byte is written, so that a later connection can send them again.
class framed_output {
public:
  using piece = send_queue::piece;

  // The first batch is `plain`, which is written as it is: the end of the handshake. Throws
  // std::bad_alloc.
  framed_output(std::unique_ptr<framing> form, piece plain);

  [[nodiscard]] framing& form() const noexcept { return *form_; }

  // Returns whether bytes of the batch are not written yet.
  [[nodiscard]] bool pending() const noexcept { return written_ < size_; }
  [[nodiscard]] piece front() const noexcept {
    return {pending() ? batch_->data() + written_ : nullptr, size_ - written_};
  }
  // Frames the next batch, if none is pending: the encoded bytes of `commands`, then messages of
  // `queue`, unless commands that must precede them are still due. Throws std::bad_alloc. The
  // connection must then end.
  void fill(control_output& commands, send_queue& queue);
  // Call when `count` bytes of front() are written. Removes the messages that are written whole
  // from `queue`.
  void advance(std::size_t count, send_queue& queue) noexcept;
  // Drops the batch. Its messages stay in the queue.
  void drop() noexcept;

  // Bytes of memory that the batch holds.
  [[nodiscard]] std::size_t memory() const noexcept { return batch_ ? batch_->capacity() : 0; }

private:
  // One framed message, or a command.
  struct unit {
    std::size_t end;     // behind its last byte in the batch
    std::size_t queued;  // its bytes in the queue; 0 for a command
  };

  [[nodiscard]] std::size_t frame_all(std::span<const piece> from, std::size_t expected,
                                      bool queued);
  void reserve(std::size_t least, std::size_t expected);

  std::unique_ptr<framing> form_;
  block_ptr batch_;
  std::size_t size_ = 0;
  std::size_t written_ = 0;
  std::vector<unit> units_;
  std::size_t done_ = 0;  // units that are written
};

}  // namespace zmtp
