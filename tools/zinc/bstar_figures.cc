#include "tools/zinc/bstar_figures.h"

#include <array>
#include <cstdint>
#include <numeric>

namespace zinc {

namespace {

using enum zmtp::figure::kind;
using status = bstar::node_status;
using value = zmtp::figure_value;
using figure = zmtp::figure_of<status>;

std::string_view text_of(bstar::state of) noexcept {
  switch (of) {
    case bstar::state::primary: return "primary";
    case bstar::state::backup: return "backup";
    case bstar::state::active: return "active";
    case bstar::state::passive: return "passive";
    case bstar::state::suspended: return "suspended";
  }
  return "unknown";
}

constexpr std::array table{
    figure{{"state", word, "state of the node"},
           [](const status& s) { return value{text_of(s.now)}; }},
    figure{{"pair_epoch", gauge, "epoch of the pair"},
           [](const status& s) { return value{std::uint64_t{s.current}}; }},
    figure{{"peer_alive", flag, "messages of the peer arrive"},
           [](const status& s) { return value{s.peer_alive}; }},
    figure{{"data_lost", flag, "the node waits for the data of its peer"},
           [](const status& s) { return value{s.data_lost}; }},
    figure{{"states_heard", counter, "states received from the peer"},
           [](const status& s) { return value{s.states_heard}; }},
    figure{{"states_refused", counter, "states from another key than that of the peer"},
           [](const status& s) { return value{s.states_refused}; }},
    figure{{"requests_accepted", counter, "requests accepted as the active node"},
           [](const status& s) { return value{s.requests_accepted}; }},
    figure{{"requests_rejected", counter, "requests rejected because the node is not active"},
           [](const status& s) { return value{s.requests_rejected}; }},
    figure{{"bad_messages", counter, "invalid state messages"},
           [](const status& s) {
             return value{
                 std::accumulate(s.bad_messages.begin(), s.bad_messages.end(), std::uint64_t{0})};
           }},
};

}  // namespace

std::span<const zmtp::figure_of<bstar::node_status>> bstar_figures() noexcept { return table; }

}  // namespace zinc
