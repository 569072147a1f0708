#include "bench/support/report.h"

#include "bench/support/arguments.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace bench {
namespace {

// A run too short for the clock has an absurd figure instead of a division by zero.
double per_second(std::uint64_t count, double seconds) {
  return static_cast<double>(count) / std::max(seconds, 1e-9);
}

void print_line(const char* name, std::uint64_t value, const char* unit) {
  std::printf("%s: %" PRIu64 "%s\n", name, value, unit);
}

void print_rate(const char* name, std::uint64_t count, double seconds, const char* unit) {
  std::printf("%s: %.0f %s\n", name, per_second(count, seconds), unit);
  std::fflush(stdout);
}

}  // namespace

void print_throughput(std::uint64_t size, std::uint64_t count, double seconds) {
  print_line("message size", size, " [B]");
  print_line("message count", count, "");
  print_rate("mean throughput", count, seconds, "[msg/s]");
  std::printf("mean throughput: %.3f [Mb/s]\n", per_second(size * count * 8, seconds) / 1e6);
  std::fflush(stdout);
}

void print_latency(std::uint64_t size, std::uint64_t roundtrips, double seconds) {
  print_line("message size", size, " [B]");
  print_line("roundtrip count", roundtrips, "");
  std::printf("average latency: %.3f [us]\n", seconds * 1e6 / static_cast<double>(roundtrips) / 2);
  std::fflush(stdout);
}

void print_fan_out(std::uint64_t peers, std::uint64_t size, std::uint64_t deliveries,
                   double seconds) {
  print_line("peers", peers, "");
  print_line("message size", size, " [B]");
  print_line("message count", deliveries, "");
  print_rate("mean throughput", deliveries, seconds, "[msg/s]");
}

void print_request_rate(std::uint64_t requests, double seconds) {
  print_line("requests", requests, "");
  print_rate("mean rate", requests, seconds, "[request/s]");
}

void print_memory_per_connection(std::uint64_t connections, std::uint64_t bytes_before,
                                 std::uint64_t bytes_after) {
  print_line("connections", connections, "");
  print_line("resident memory before", bytes_before, " [B]");
  const std::uint64_t added = bytes_after - std::min(bytes_before, bytes_after);
  print_line("memory per connection", added / connections, " [B]");
  std::fflush(stdout);
}

std::uint64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::uint64_t whole_pages = 0;
  std::uint64_t resident_pages = 0;
  if (!(statm >> whole_pages >> resident_pages)) {
    fail("cannot read /proc/self/statm: mount /proc");
  }
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace bench
