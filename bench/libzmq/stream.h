#pragma once
// The two sides of a one-way stream, for TCP and for threads alike: local_thr, remote_thr,
// inproc_thr.

#include "bench/libzmq/socket.h"

#include <cstdint>

namespace bench::libzmq {

struct stream {
  std::uint64_t size{};   // bytes of a part
  std::uint64_t count{};  // messages
  std::uint64_t parts{1};
};

void send_stream(socket& push, const stream& work);
// The first message starts the clock. Prints the figures.
void receive_stream(socket& pull, const stream& work);

}  // namespace bench::libzmq
