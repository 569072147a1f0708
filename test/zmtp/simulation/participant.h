#pragma once
// One process of a scenario, with one socket.

#include "zmtp/options.h"
#include "zmtp/simulation/process.h"
#include "zmtp/socket_type.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zmtp::simulation {

struct pair_of_types {
  socket_type hub;     // one socket of this type
  socket_type spokes;  // several sockets of this type
};

[[nodiscard]] constexpr bool publishes(socket_type type) noexcept {
  return type == socket_type::pub || type == socket_type::xpub;
}

// Sends messages that answer nothing.
[[nodiscard]] constexpr bool begins(socket_type type) noexcept {
  return type != socket_type::pull && type != socket_type::sub && type != socket_type::rep &&
         type != socket_type::router;
}

struct participant {
  process* in = nullptr;
  std::uint32_t number = 0;
  socket_type type{};
  bool binds = false;
  std::vector<std::string> connects_to;
  socket_options options;
  std::chrono::milliseconds pace{};
  std::size_t to_send = 0;
  std::size_t due = 0;  // parcels that it sends without a pause, and whatever else it still has
};

using participants = std::vector<std::unique_ptr<participant>>;

}  // namespace zmtp::simulation
