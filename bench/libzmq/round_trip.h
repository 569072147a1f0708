#pragma once
// The two sides of a round trip, for TCP and for threads alike: local_lat, remote_lat, inproc_lat.

#include "bench/libzmq/socket.h"

#include <cstdint>

namespace bench::libzmq {

void answer_round_trips(socket& rep, std::uint64_t size, std::uint64_t count);
// Prints the figures.
void measure_round_trips(socket& req, std::uint64_t size, std::uint64_t count);

}  // namespace bench::libzmq
