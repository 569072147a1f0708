#pragma once
// Two sockets whose first connection is cut at one byte: the messages that are lost, and whether
// the sockets recover.

#include "test/simulation/ledger.h"
#include "test/simulation/pattern.h"
#include "zmtp/simulation/virtual_connection.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zmtp::simulation {

struct cut_place {
  enum class kind : std::uint8_t {
    taken,    // the kernel takes no more
    arrived,  // it has taken more, which is lost
  };

  pattern between;  // the hub connects, the spokes' side binds
  end_of_stream from = end_of_stream::connecting;
  kind what = kind::taken;
  std::size_t bytes = 0;  // 0: not at all
};

struct cut_options {
  std::uint64_t seed = 1;
  std::size_t messages = 8;
  body_sizes sizes{.large = 0};
  bool correlate = false;      // REQ asks again
  unsigned topic_changes = 0;  // see sub_party
};

struct cut_result {
  std::vector<ledger::finding> findings;
  bool was_cut = false;
  std::size_t bytes = 0;    // sent from there on the first connection
  std::size_t parcels = 0;  // received
};

[[nodiscard]] cut_result run_cut(const cut_place& place, const cut_options& options);

}  // namespace zmtp::simulation
