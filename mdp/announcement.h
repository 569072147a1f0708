#pragma once
// What a client or worker of this project tells the broker beside MDP, in the X-Zinc property of its
// READY. Pure.

#include "mdp/options.h"
#include "zmtp/metadata.h"

#include <cstddef>
#include <cstdint>
#include <optional>
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

// The extensions that a broker announces to its clients and workers. A broker of the Guide has none.
struct broker_announcement {
  bool nack = false;  // it takes NACK and DRAIN from workers
  // The broker recognises requests by their key (command.h). The number names this run of the broker:
  // a broker that was started again does not know the keys of its predecessor.
  std::optional<std::uint64_t> idempotency{};
};
// A value that is not a number counts as not announced.
[[nodiscard]] broker_announcement parse_broker_announcement(const zmtp::metadata& broker) noexcept;

// The broker's zmtp::socket_options::extensions. `instance`: see broker_state.
[[nodiscard]] std::vector<std::string> announce_broker(std::uint64_t instance);

}  // namespace mdp
