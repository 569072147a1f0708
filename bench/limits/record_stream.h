#pragma once
// A connection that carries records of 64 bytes both ways. It reads all pending records, gathers its output and writes
// that at once.

#include "bench/limits/poller.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench::limits {

inline constexpr std::size_t record_size = 64;
using record = std::array<std::byte, record_size>;

// The first byte tells the role of a connection. A worker sends its capacity in the next byte.
inline constexpr std::byte client_mark{'C'};
inline constexpr std::byte worker_mark{'W'};

class record_stream {
public:
  // The events of the connection carry the tag.
  record_stream(descriptor socket, poller& watcher, std::uint64_t tag);

  // Reads once. Returns false if the other side has closed.
  bool read();
  // The bytes that arrived and were not consumed. Invalid after read().
  std::span<const std::byte> unread() const {
    return std::span{input_}.subspan(consumed_, filled_ - consumed_);
  }
  void consume(std::size_t bytes) { consumed_ += bytes; }

  void append(std::span<const std::byte> bytes) {
    output_.insert(output_.end(), bytes.begin(), bytes.end());
  }
  // Writes once. The rest is written when the kernel has room again.
  void flush();
  void on_writable();

  void close() { socket_ = descriptor{}; }

private:
  void write_output();

  descriptor socket_;
  poller* watcher_;
  std::uint64_t tag_;
  std::vector<std::byte> input_;
  std::size_t consumed_ = 0;
  std::size_t filled_ = 0;
  std::vector<std::byte> output_{};
  std::size_t written_ = 0;
  bool waits_for_room_ = false;
};

}  // namespace bench::limits
