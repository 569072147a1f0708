#pragma once
// What a client or worker of this project tells the broker beside MDP, in the X-Zinc property of its
// READY. Pure.

#include "mdp/options.h"
#include "zmtp/metadata.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mdp {

struct announcement {
  std::size_t capacity = 1;  // how many requests it takes at once; at least 1
  bool errors = false;       // as a client it understands errors; see request_error
  bool malformed = false;    // it announced something that has no meaning, and counts as not having
};

// Of a peer that announces nothing: what 7/MDP and 18/MDP have.
[[nodiscard]] announcement parse_announcement(const zmtp::metadata& peer) noexcept;

// The worker's zmtp::socket_options::extensions.
[[nodiscard]] std::vector<std::string> announce(const worker_options& options);

// The same of a client.
[[nodiscard]] std::vector<std::string> announce_client();

}  // namespace mdp
