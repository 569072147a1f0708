#pragma once
// zinc chp …: what its subcommands are asked for, and their entry points.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace zinc {

struct chp_client_arguments {
  enum class action { get, set, erase, dump, watch };

  action what = action::get;
  std::vector<std::string> servers{"localhost:5556"};
  std::chrono::milliseconds heartbeat{1'000};
  std::chrono::milliseconds timeout{15'000};
  bool json = false;
  std::string key;
  std::string value;
  std::optional<unsigned> ttl;       // seconds
  std::string subtree;               // of dump and watch
  std::optional<std::size_t> count;  // of watch: ends after so many changes
};
[[nodiscard]] int run_chp_client(const chp_client_arguments& arguments);

}  // namespace zinc
