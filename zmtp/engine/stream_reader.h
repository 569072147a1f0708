#pragma once
// Reads a stream into its conversation, within the memory that its socket may use.

#include "zmtp/conversation/conversation.h"
#include "zmtp/conversation/graceful_close.h"
#include "zmtp/engine/memory_share.h"
#include "zmtp/transport/network.h"

#include <cstddef>
#include <memory>

namespace zmtp {

class socket_core;
class stream_link;

class stream_reader {
public:
  // All must outlive the reader.
  stream_reader(transport::stream& from, conversation& into, socket_core& core) noexcept
      : stream_{from}, to_{into}, core_{core} {}
  stream_reader(const stream_reader&) = delete;
  stream_reader& operator=(const stream_reader&) = delete;

  // The link that is closed when its partial message is evicted. Must be called first.
  void belongs_to(std::weak_ptr<stream_link> owner) noexcept { owner_ = std::move(owner); }

  [[nodiscard]] bool waiting() const noexcept { return waiting_; }
  // Calls `user` when the stream may be readable, which then calls on_readable(). Throws
  // std::bad_alloc.
  void wait(std::shared_ptr<transport::stream_user> user);
  void on_readable() noexcept { waiting_ = false; }

  enum class outcome {
    nothing,  // no bytes, or the conversation takes none
    some,
    full,  // more bytes may be waiting
    failed,
    evicted,  // other partial messages need the memory
  };
  struct taken {
    outcome what;
    std::size_t bytes = 0;
    error_code reason{};  // why the read failed
  };
  // Reads once. Throws std::bad_alloc.
  [[nodiscard]] taken read();
  // Reads once and drops the bytes.
  [[nodiscard]] graceful_close::received discard();

  // Call at the end of a turn. The remaining bytes then hold no more memory than they need. Returns
  // false if they are evicted. Throws std::bad_alloc.
  [[nodiscard]] bool compact();
  // Counts the bytes that wait for space in the queue, also in the stream, or framed for the kernel.
  // Call after that queue is compact.
  void account() noexcept { charge(to_.waiting_memory() + (to_.blocked() ? below() : 0)); }
  [[nodiscard]] bool evicted() const;
  // Drops what was read and not decoded, and its memory.
  void drop() noexcept;

private:
  [[nodiscard]] bool hold(std::size_t bytes);
  [[nodiscard]] std::size_t below() const noexcept;
  void charge(std::size_t bytes) noexcept;

  transport::stream& stream_;
  conversation& to_;
  socket_core& core_;
  std::weak_ptr<stream_link> owner_;
  // Null before the first partial message. Shared, because an eviction may drop() it meanwhile.
  std::shared_ptr<partial_message> partial_message_;
  std::size_t charged_ = 0;  // bytes charged to the account for undecoded data
  bool waiting_ = false;
};

}  // namespace zmtp
