#include "tools/zinc/bstar_figures.h"

#include <array>
#include <cstdint>
#include <numeric>

namespace zinc {

namespace {

using enum zmtp::figure::kind;
using bstar::node_status;
using value = zmtp::figure_value;
using node_figure = zmtp::figure_of<node_status>;

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

constexpr std::array node_table{
    node_figure{{"state", word, "state of the node"},
                [](const node_status& s) { return value{text_of(s.now)}; }},
    node_figure{{"pair_epoch", gauge, "epoch of the pair"},
                [](const node_status& s) { return value{std::uint64_t{s.current}}; }},
    node_figure{{"peer_alive", flag, "messages of the peer arrive"},
                [](const node_status& s) { return value{s.peer_alive}; }},
    node_figure{{"data_lost", flag, "the node waits for the data of its peer"},
                [](const node_status& s) { return value{s.data_lost}; }},
    node_figure{{"states_received", counter, "states received from the peer"},
                [](const node_status& s) { return value{s.states_received}; }},
    node_figure{{"states_refused", counter, "states from another key than that of the peer"},
                [](const node_status& s) { return value{s.states_refused}; }},
    node_figure{{"requests_accepted", counter, "requests accepted as the active node"},
                [](const node_status& s) { return value{s.requests_accepted}; }},
    node_figure{{"requests_rejected", counter, "requests rejected because the node is not active"},
                [](const node_status& s) { return value{s.requests_rejected}; }},
    node_figure{{"bad_messages", counter, "invalid state messages"},
                [](const node_status& s) {
                  return value{std::accumulate(s.bad_messages.begin(), s.bad_messages.end(),
                                               std::uint64_t{0})};
                }},
};

}  // namespace

std::span<const zmtp::figure_of<bstar::node_status>> bstar_figures() noexcept { return node_table; }

}  // namespace zinc
