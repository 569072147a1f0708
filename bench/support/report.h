#pragma once
// The clock of the programs of bench and the lines they print, which are those of libzmq's perf
// programs: whatever reads them reads ours, libzmq's and the limits' alike.

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bench {

class stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Message size, message count, mean throughput in msg/s and Mb/s; local_thr, inproc_thr.
void print_throughput(std::uint64_t size, std::uint64_t count, double seconds);
// Message size, roundtrip count, average latency one way; remote_lat, inproc_lat.
void print_latency(std::uint64_t size, std::uint64_t roundtrips, double seconds);
// Peers, message size, deliveries, and deliveries per second; fan_out_sub.
void print_fan_out(std::uint64_t peers, std::uint64_t size, std::uint64_t deliveries,
                   double seconds);
// Requests and requests per second; the Majordomo clients.
void print_request_rate(std::uint64_t requests, double seconds);
// Connections and the bytes that each added to the resident memory; idle_router.
void print_memory_per_connection(std::uint64_t connections, std::uint64_t bytes_before,
                                 std::uint64_t bytes_after);

// The resident memory of this process.
std::uint64_t resident_bytes();

}  // namespace bench
