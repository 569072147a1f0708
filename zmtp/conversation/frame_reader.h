#pragma once
// The received bytes of one connection, cut into whole messages and commands. Pure.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/queue_entry.h"
#include "zmtp/buffer/read_buffer.h"
#include "zmtp/decoder.h"
#include "zmtp/error.h"
#include "zmtp/frame.h"
#include "zmtp/framing/framing.h"
#include "zmtp/options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace zmtp {

// Also chooses how much to read at once, so that no peer occupies the executor for long.
class frame_reader {
public:
  // Keeps a reference to `limit`.
  explicit frame_reader(const limits& limit) noexcept : limit_{&limit}, decoder_{limit} {}

  // Returns space for a read. In the handshake, its size is at most that of a handshake command.
  // Later it is at most `ahead` bytes more than the message in progress is known to need. Valid
  // until the next call of any member except commit().
  [[nodiscard]] std::span<std::byte> prepare(std::size_t ahead);
  void commit(std::size_t count) noexcept;
  // Call when the handshake is done. From then on, `form` maps the received bytes, if it is not
  // null. It must outlive the reader.
  void start_traffic(framing* form) noexcept;

  // For the greeting, which is not a frame.
  [[nodiscard]] std::span<const std::byte> undecoded() const noexcept {
    return buffer_.undecoded();
  }
  void skip(std::size_t count) noexcept { buffer_.skip(count); }

  // Finds the next messages or the next command. See decoder::look().
  [[nodiscard]] decoder::found look(frame::cut most) noexcept {
    const auto found = decoder_.look(buffer_.undecoded(), most);
    return found == decoder::found::more && fault_ ? decoder::found::fault : found;
  }
  [[nodiscard]] error_code fault() const noexcept {
    return decoder_.fault() ? decoder_.fault() : fault_;
  }
  // Returns the messages that were found. Call after decoder::found::message.
  [[nodiscard]] message_run take_messages() noexcept {
    const auto bytes = buffer_.take(decoder_.size());
    const auto messages = decoder_.messages();
    decoder_.messages_taken();
    return {.memory = buffer_.memory(),
            .data = bytes.data(),
            .size = bytes.size(),
            .messages = messages,
            .shared = true};
  }
  // Returns the body of the next command. Call after decoder::found::command. Valid until the next
  // call of a member that is not const.
  [[nodiscard]] std::string_view take_command() noexcept;
  // Call for each command after the handshake, and for each message that costs as much. After a
  // read with many of them, the next reads are short.
  void count_command() noexcept { ++commands_; }
  // Drops everything.
  void drop() noexcept {
    buffer_ = read_buffer{};
    decoder_.restart();
  }

  // Returns whether nothing is pending.
  [[nodiscard]] bool empty() const noexcept { return buffer_.empty(); }
  // Returns whether a message has started: whole parts of it, or also the first bytes of a part. An
  // incomplete wire frame of a framing does not count, because it may contain a command.
  [[nodiscard]] bool in_message() const noexcept { return decoder_.parts() != 0; }
  [[nodiscard]] bool message_begun() const noexcept {
    const auto bytes = buffer_.undecoded();
    return in_message() || (!bytes.empty() && !frame::has(bytes.front(), frame::command));
  }

  // See read_buffer::own_memory(), for now and after prepare().
  [[nodiscard]] std::size_t own_memory() const noexcept { return buffer_.own_memory(); }
  [[nodiscard]] std::size_t next_memory() const noexcept {
    return buffer_.own_memory(in_one_piece());
  }
  [[nodiscard]] std::size_t memory_size() const noexcept { return buffer_.memory_size(); }
  // See read_buffer::compact() and moved().
  void compact() { buffer_.compact(); }
  [[nodiscard]] std::uint64_t moved() const noexcept { return buffer_.moved(); }

private:
  // Upper limit of one read beyond the frame in progress. It limits the work per read.
  static constexpr std::size_t usual_read = block_size::reading;

  void map_raw() noexcept;
  // The undecoded and raw bytes.
  [[nodiscard]] std::size_t pending() const noexcept {
    return buffer_.undecoded().size() + buffer_.raw().size();
  }
  // … plus the bytes to come that must be contiguous with them.
  [[nodiscard]] std::size_t in_one_piece() const noexcept {
    const auto needed = std::max(decoder_.needed(), pending() + 1);
    return framing_ == nullptr
               ? needed
               : std::max(needed, buffer_.undecoded().size() + framing_->needed(buffer_.raw()));
  }

  const limits* limit_;
  decoder decoder_;
  read_buffer buffer_;
  framing* framing_ = nullptr;
  error_code fault_;  // the fault of the framing after the undecoded bytes
  bool traffic_ = false;
  unsigned commands_ = 0;  // since the last prepare()
  std::size_t longest_read_ = usual_read;
};

}  // namespace zmtp
