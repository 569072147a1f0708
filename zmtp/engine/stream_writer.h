#pragma once
// Writes the output of a conversation to its stream.

#include "zmtp/conversation/conversation.h"
#include "zmtp/transport/network.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace zmtp {

class stream_writer {
public:
  // Both must outlive the writer.
  stream_writer(transport::stream& to, conversation& of) noexcept : stream_{to}, from_{of} {}
  stream_writer(const stream_writer&) = delete;
  stream_writer& operator=(const stream_writer&) = delete;

  // Returns whether a write may take bytes now.
  [[nodiscard]] bool ready() const noexcept { return state_ == state::ready; }
  [[nodiscard]] bool waiting() const noexcept { return state_ == state::waiting; }
  // Returns whether the peer takes no more bytes.
  [[nodiscard]] bool broken() const noexcept { return state_ == state::broken; }
  // Returns whether output is left that a write in this turn cannot take any more.
  [[nodiscard]] bool left_over(const send_queue& queue, std::uint64_t turn) const noexcept {
    return turn == last_turn_ && from_.has_output(queue);
  }

  struct written {
    std::size_t bytes = 0;
    bool full = false;  // the stream takes no more, so wait() for it
  };
  // Writes once. Must be ready(). Throws std::bad_alloc.
  [[nodiscard]] written write(send_queue& queue, std::uint64_t turn);
  // Calls `user` when the stream may take bytes, which then calls on_writable(). Without memory,
  // the writer is broken.
  void wait(std::shared_ptr<transport::stream_user> user) noexcept;
  void on_writable() noexcept { state_ = state::ready; }
  // Call when nothing is left to write in a graceful close.
  void shut() noexcept;

private:
  enum class state {
    ready,
    waiting,  // a wait for writability is pending
    broken,
    shut,  // the peer reads the end after the bytes that were written
  };

  void cut_off() noexcept;

  transport::stream& stream_;
  conversation& from_;
  state state_ = state::ready;
  std::uint64_t last_turn_ = 0;  // the turn of the last write
};

}  // namespace zmtp
