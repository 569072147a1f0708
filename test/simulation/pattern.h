#pragma once
// The pairs of socket types to simulate, and the parties that play them.

#include "test/simulation/parties.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace zmtp::simulation {

struct pattern {
  socket_type hub;     // one socket of this type
  socket_type spokes;  // several sockets of this type
};

// Every pair of types that talk to each other, both ways round.
inline constexpr std::array patterns = {
    pattern{socket_type::push, socket_type::pull},
    pattern{socket_type::pull, socket_type::push},
    pattern{socket_type::dealer, socket_type::router},
    pattern{socket_type::router, socket_type::dealer},
    pattern{socket_type::router, socket_type::router},
    pattern{socket_type::dealer, socket_type::dealer},
    pattern{socket_type::req, socket_type::rep},
    pattern{socket_type::rep, socket_type::req},
    pattern{socket_type::req, socket_type::router},
    pattern{socket_type::router, socket_type::req},
    pattern{socket_type::dealer, socket_type::rep},
    pattern{socket_type::rep, socket_type::dealer},
    pattern{socket_type::pub, socket_type::sub},
    pattern{socket_type::sub, socket_type::pub},
    pattern{socket_type::pub, socket_type::xsub},
    pattern{socket_type::xsub, socket_type::pub},
    pattern{socket_type::xpub, socket_type::sub},
    pattern{socket_type::sub, socket_type::xpub},
    pattern{socket_type::xpub, socket_type::xsub},
    pattern{socket_type::xsub, socket_type::xpub},
    pattern{socket_type::pair, socket_type::pair},
};

// How many spokes there may be: PAIR has one peer.
[[nodiscard]] constexpr std::size_t most_spokes(const pattern& p) noexcept {
  return p.hub == socket_type::pair ? 1 : 8;
}

struct casting {
  socket_type type;
  socket_type peers;
  std::uint32_t number = 1;
  socket_options options{};
  habits how{};
  unsigned topic_changes = 0;  // see sub_party
};

// Users that see the senders of their messages get attach and detach notices too.
[[nodiscard]] std::unique_ptr<party> cast(simulated_network& net, ledger& books, casting part);

}  // namespace zmtp::simulation
