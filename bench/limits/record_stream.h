#pragma once
// A connection that carries records of 64 octets both ways: reads as many as are there, gathers
// what is to be written and writes it at once.

#include "bench/limits/poller.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench::limits {

inline constexpr std::size_t record_size = 64;
using record = std::array<std::byte, record_size>;

// What a connection is, in its first octet; a worker's capacity follows in one octet.
inline constexpr std::byte client_mark{'C'};
inline constexpr std::byte worker_mark{'W'};

class record_stream {
public:
  // The events of the connection carry the tag.
  record_stream(descriptor socket, poller& watcher, std::uint64_t tag);

  // One read. False when the other side closed.
  bool read();
  // What came and was not consumed. Invalid after read().
  std::span<const std::byte> unread() const {
    return std::span{input_}.subspan(consumed_, filled_ - consumed_);
  }
  void consume(std::size_t octets) { consumed_ += octets; }

  void append(std::span<const std::byte> octets) {
    output_.insert(output_.end(), octets.begin(), octets.end());
  }
  // One write. What the system does not take leaves as soon as it does.
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
