#pragma once
// The extensions that Zinc's clients, workers and brokers announce in the X-Zinc property of READY.
// Pure.

#include "mdp/options.h"
#include "zmtp/metadata.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mdp {

// The announcement of a client or worker. The defaults are those of 7/MDP and 18/MDP.
struct announcement {
  std::size_t capacity = 1;  // requests that the worker takes at once; at least 1
  bool errors = false;       // the client reads errors; see request_error
  bool principals = false;   // the worker takes the principals of clients; see command.h
  bool malformed = false;    // a value was invalid; it counts as not announced
};

// Returns the announcement of a client or worker.
[[nodiscard]] announcement parse_announcement(const zmtp::metadata& peer) noexcept;

// Returns a worker's zmtp::socket_options::extensions.
[[nodiscard]] std::vector<std::string> announce(const worker_options& options);

// Returns a client's zmtp::socket_options::extensions.
[[nodiscard]] std::vector<std::string> announce_client();

// The extensions that a broker announces to its clients and workers. The Guide's broker announces
// none.
struct broker_announcement {
  bool nack = false;  // the broker takes NACK and DRAIN from workers
  // The broker recognizes requests by their key (command.h). The number identifies this run of the
  // broker. A broker that was restarted does not know the keys of its previous run.
  std::optional<std::uint64_t> idempotency{};
  bool principals = false;  // the broker sends and takes principals; see command.h
};
// Returns the announcement of a broker. A value that is not a number counts as not announced.
[[nodiscard]] broker_announcement parse_broker_announcement(const zmtp::metadata& broker) noexcept;

// Returns a broker's zmtp::socket_options::extensions. `instance`: see broker_state.
[[nodiscard]] std::vector<std::string> announce_broker(std::uint64_t instance);

}  // namespace mdp
