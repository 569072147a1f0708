// Connects and writes WRITE_SIZE bytes COUNT times, one system call each.
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"

#include <vector>

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT WRITE_SIZE COUNT"};
  const auto endpoint = bench::parse_endpoint(arguments.text(0));
  const std::vector<std::byte> bytes(arguments.number(1), std::byte{'.'});
  const std::uint64_t count = arguments.number(2);
  const auto sink = bench::limits::connect_to(endpoint);
  for (std::uint64_t written = 0; written < count; ++written) {
    bench::limits::write_all(sink, bytes);
  }
}
