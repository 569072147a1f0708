#include "tools/zinc/chp_figures.h"

#include "chp/sequence.h"

#include <array>
#include <cstdint>
#include <numeric>

namespace zinc {

namespace {

using enum zmtp::figure::kind;
using status = chp::server_status;
using value = zmtp::figure_value;
using figure = zmtp::figure_of<status>;
constexpr auto in_bytes = zmtp::figure::unit::bytes;
constexpr auto in_seconds = zmtp::figure::unit::seconds;

template <auto Member>
constexpr figure is(std::string_view key, std::string_view help) {
  return {{key, flag, help}, [](const status& s) { return value{s.*Member}; }};
}
template <auto Member>
constexpr figure state(std::string_view key, std::string_view help,
                       zmtp::figure::unit in = zmtp::figure::unit::none) {
  return {{key, gauge, help, in}, [](const status& s) { return value{std::uint64_t{s.*Member}}; }};
}
template <auto Member>
constexpr figure position(std::string_view key, std::string_view help) {
  return {{key, gauge, help}, [](const status& s) { return value{chp::position_of(s.*Member)}; }};
}
template <auto Member>
constexpr figure count(std::string_view key, std::string_view help) {
  return {{key, counter, help}, [](const status& s) { return value{s.counters.log.*Member}; }};
}

// Returns the entries from `from` to the end of the log. If these are in different epochs, all
// entries of the last epoch, because positions begin again.
std::uint64_t entries_after(chp::sequence from, chp::sequence end) noexcept {
  const auto last = chp::position_of(end);
  return chp::epoch_of(from) == chp::epoch_of(end) ? last - chp::position_of(from) : last;
}

template <class Counts>
std::uint64_t sum(const Counts& of) {
  return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
}

template <auto Member>
constexpr figure forbidden(std::string_view key, std::string_view help) {
  return {{key, counter, help},
          [](const status& s) { return value{s.counters.forbidden.*Member}; }};
}

using log = chp::log_counters;
using access = chp::access_counters;
constexpr std::array table{
    is<&status::active>("active", "the server accepts updates"),
    figure{{"epoch", gauge, "epoch of the last entry of the log"},
           [](const status& of) { return value{chp::epoch_of(of.number)}; }},
    position<&status::number>("number", "position of the last entry of the log"),
    position<&status::committed>("committed", "position up to which entries are committed"),
    position<&status::both>("both", "position up to which both servers have the entries"),
    figure{{"not_committed", gauge, "entries of this epoch that are not committed"},
           [](const status& of) { return value{entries_after(of.committed, of.number)}; }},
    figure{{"not_on_both", gauge, "entries of this epoch that only this server of a pair has"},
           [](const status& of) { return value{entries_after(of.both, of.number)}; }},
    is<&status::backup_in_sync>("backup_in_sync", "the passive server has every update"),
    is<&status::degraded>("degraded", "clients see updates that the other server may not have"),
    is<&status::following>("following", "the server has the updates of the active server"),
    is<&status::stopped>("stopped", "an operator must decide which data is right"),
    state<&status::keys>("keys", "keys of the map"),
    state<&status::bytes>("bytes", "size of the keys and values", in_bytes),
    state<&status::log_entries>("log_entries", "entries of the log"),
    state<&status::log_bytes>("log_bytes", "memory of the log", in_bytes),
    state<&status::sessions>("sessions", "known sessions of clients"),
    state<&status::subscribers>("subscribers", "connections to the publisher"),
    state<&status::snapshot_clients>("snapshot_clients", "connections to the snapshot port"),
    state<&status::snapshots>("snapshots", "snapshots that are being sent"),
    state<&status::waiting>("waiting", "updates that a passive server keeps"),
    count<&log::updates>("updates", "updates of clients"),
    count<&log::repeated>("repeated", "updates that were known already"),
    count<&log::deferred>("deferred", "updates left with the client for now"),
    count<&log::unknown>("unknown", "updates of forgotten sessions"),
    count<&log::expired>("expired", "expired keys"),
    count<&log::followed>("followed", "entries received from the active server"),
    count<&log::replayed>("replayed", "updates appended after they waited at a passive server"),
    count<&log::waiting_dropped>("waiting_dropped", "waiting updates dropped at the limit"),
    count<&log::lost>("lost", "entries written to files of lost updates"),
    figure{{"snapshots_sent", counter, "snapshots sent completely"},
           [](const status& of) { return value{of.counters.snapshots}; }},
    figure{{"gaps", counter, "gaps in the updates of a server of the Guide"},
           [](const status& of) { return value{of.counters.gaps}; }},
    figure{{"ignored", counter, "ignored requests and messages"},
           [](const status& of) {
             return value{of.counters.ignored_requests + of.counters.ignored_messages};
           }},
    figure{{"refused", counter, "refused updates and messages"},
           [](const status& of) {
             return value{sum(of.counters.refused) + sum(of.counters.log.refused)};
           }},
    forbidden<&access::subscriptions>("forbidden_subscriptions",
                                      "subscriptions refused by access rules"),
    forbidden<&access::snapshots>("forbidden_snapshots", "snapshots refused by access rules"),
    forbidden<&access::updates>("forbidden_updates", "updates refused by access rules"),
    forbidden<&access::sessions>("forbidden_sessions", "updates with a session of another user"),
    forbidden<&access::backups>("forbidden_backups",
                                "messages of a server that may not copy the map"),
    figure{{"stored", word, "the part of the map that the store has"},
           [](const status& of) { return value{std::string_view{chp::to_string(of.kept)}}; }},
    position<&status::durable>("durable", "position up to which the disk has the entries"),
    figure{
        {"acknowledge_time", histogram, "time from an update to its acknowledgement", in_seconds},
        [](const status& of) {
          return value{zmtp::durations_of(of.counters.log.acknowledge_time)};
        }},
    figure{{"sync_time", histogram, "time to write a batch to the store and sync it", in_seconds},
           [](const status& of) { return value{zmtp::durations_of(of.sync_time)}; }},
};

}  // namespace

std::span<const zmtp::figure_of<chp::server_status>> chp_figures() noexcept { return table; }

}  // namespace zinc
