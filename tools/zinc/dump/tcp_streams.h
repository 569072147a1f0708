#pragma once
// Puts TCP segments of a capture together to the streams of their connections. Pure.

#include "tools/zinc/dump/record.h"
#include "tools/zinc/dump/stream_observer.h"
#include "tools/zinc/dump/tcp_segment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace zinc::dump {

class tcp_streams {
public:
  explicit tcp_streams(make_observer make) : make_{std::move(make)} {}

  // A connection begins with its SYN. Bytes of others are counted only.
  void add(const tcp_segment& one);
  // The capture has ended.
  void finish();

  // Segments with bytes, of connections that are not open: they began before the capture, or are closed.
  [[nodiscard]] std::uint64_t strays() const noexcept { return strays_; }

private:
  struct direction {
    bool begun = false;
    bool over = false;                             // ended, or lost
    bool lost = false;                             // bytes are missing
    std::uint32_t begin = 0;                       // the number of the first byte
    std::uint64_t next = 0;                        // the next byte, from the first one
    std::map<std::uint64_t, std::string> early{};  // bytes behind a gap
    std::size_t early_cost = 0;
    std::uint64_t end = UINT64_MAX;  // the end of the stream, known after a FIN
  };
  using addresses = std::pair<std::string, std::string>;
  using queue = std::list<addresses>;
  struct connection {
    std::string client;
    std::unique_ptr<stream_observer> observer;
    queue* in;  // silent_ or active_
    queue::iterator place;
    std::array<direction, 2> directions{};
  };
  using connections = std::map<addresses, connection>;

  connections::iterator open(const tcp_segment& one, side from);
  void make_room();
  void take(connection& to, side from, const tcp_segment& one);
  void acknowledge(connection& to, side from, std::uint32_t number);
  [[nodiscard]] static std::uint64_t known_from(const direction& in) noexcept;
  void keep(direction& in, std::uint64_t at, std::string_view bytes);
  [[nodiscard]] static std::int64_t ahead_of(const direction& in, std::uint32_t number) noexcept;
  [[nodiscard]] static bool resets(const direction& in, std::uint32_t number) noexcept;
  void pass_on(connection& to, side from);
  void give_up(connection& to, side from);
  void close(connections::iterator which, const std::string& why);

  make_observer make_;
  connections connections_;
  // The addresses of connections_. A scan of a port makes many connections that stay silent.
  queue silent_;  // without bytes, the oldest first
  queue active_;  // the one whose last bytes are oldest first
  std::size_t early_cost_ = 0;
  std::uint64_t strays_ = 0;
};

}  // namespace zinc::dump
