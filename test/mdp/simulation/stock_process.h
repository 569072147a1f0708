#pragma once
// The headers and options of the processes that speak MDP over plain sockets.

#include "zmtp/options.h"

#include <chrono>
#include <string_view>

namespace mdp::simulation {

inline constexpr std::string_view client_header = "MDPC01";
inline constexpr std::string_view worker_header = "MDPW01";

// The Guide's programs close their sockets without waiting.
inline zmtp::socket_options without_linger() {
  zmtp::socket_options options;
  options.linger = std::chrono::milliseconds{0};
  return options;
}

}  // namespace mdp::simulation
