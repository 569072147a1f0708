#pragma once
// The command-line options of chp_storm.

#include "chp/server_address.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace chp::test {

struct storm_options {
  std::vector<std::string> groups{};
  std::uint64_t rate = 2'000;
  std::uint64_t keys = 100;
  std::uint64_t shared = 0;
  std::uint64_t preload = 0;
  std::uint64_t lifetimes = 0;
  std::uint64_t longest_ttl = 10;
  std::size_t size = 32;
  std::chrono::milliseconds heartbeat{1'000};
  std::chrono::milliseconds server_ttl{5'000};
  std::chrono::milliseconds timeout{30'000};
};

void describe(CLI::App& app, storm_options& to);

// Clients, and the servers that they know: of `N=HOST:PORT,HOST:PORT`, or without `N=` one client.
struct storm_group {
  std::size_t clients = 1;
  std::vector<server_address> servers{};
};

[[nodiscard]] storm_group parse_group(const std::string& text);
// Parses `HOST:PORT,HOST:PORT`.
[[nodiscard]] std::vector<server_address> parse_servers(const std::string& list);

}  // namespace chp::test
