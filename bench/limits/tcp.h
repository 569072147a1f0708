#pragma once
// TCP by the system's calls, as far as the bare limits need it. A call that fails ends the program.

#include "bench/support/endpoint.h"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace bench::limits {

class descriptor {
public:
  descriptor() = default;
  explicit descriptor(int number) : number_{number} {}
  ~descriptor();
  descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }

private:
  int number_ = -1;
};

// The host is an IPv4 address, or * for all.
descriptor listen_at(const tcp_endpoint& endpoint);
descriptor accept_one(const descriptor& listener);
// Retries until a program listens, because the programs of a pair start in any order.
descriptor connect_to(const tcp_endpoint& endpoint);
// Does not wait; the descriptor does not block and is writable when it is connected or refused.
descriptor start_connecting(const tcp_endpoint& endpoint, const std::string& source_address);
void finish_connecting(const descriptor& socket);

void set_no_delay(const descriptor& socket);
void set_nonblocking(const descriptor& socket);
// Sets the number of bytes for which a read waits, if the stream does not end before. Without it, each
// segment wakes the reader.
void wait_for_bytes(const descriptor& socket, int bytes);

// Returns the number of bytes read, 0 at the end of the stream, or nothing if none are pending.
std::optional<std::size_t> read_some(const descriptor& socket, std::span<std::byte> into);
// The same for a descriptor that blocks: 0 is the end of the stream.
std::size_t read_blocking(const descriptor& socket, std::span<std::byte> into);
// How many bytes the system took; 0 when it takes none now.
std::size_t write_some(const descriptor& socket, std::span<const std::byte> bytes);
// For a descriptor that blocks.
void write_all(const descriptor& socket, std::span<const std::byte> bytes);

}  // namespace bench::limits
