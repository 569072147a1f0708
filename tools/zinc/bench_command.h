#pragma once
// The arguments of zinc bench, and its entry point.

#include "tools/zinc/security_flags.h"
#include "zmtp/options.h"
#include "zmtp/socket_type.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

struct bench_arguments {
  zmtp::socket_type type = zmtp::socket_type::dealer;
  std::vector<std::string> bind;     // one of both has one endpoint, or none:
  std::vector<std::string> connect;  // then both ends run in this process
  std::size_t size = 64;             // bytes of each message
  std::optional<std::uint64_t> rate;
  std::optional<std::uint64_t> count;
  std::chrono::milliseconds duration{5'000};  // without `count`
  std::size_t in_flight = 1;
  std::chrono::milliseconds timeout{10'000};
  bool json = false;
  security_arguments security;
  zmtp::socket_options socket;  // with this security
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_bench(CLI::App& app, bench_arguments& to);
// Returns an exit code of commands.h.
[[nodiscard]] int run_bench(const bench_arguments& arguments);

}  // namespace zinc
