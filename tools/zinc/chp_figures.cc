#include "tools/zinc/chp_figures.h"

#include "chp/sequence.h"

#include <array>
#include <cstdint>
#include <numeric>

namespace zinc {

namespace {

using enum zmtp::figure::kind;
using chp::server_status;
using value = zmtp::figure_value;
using server_figure = zmtp::figure_of<server_status>;
constexpr auto in_bytes = zmtp::figure::unit::bytes;
constexpr auto in_seconds = zmtp::figure::unit::seconds;

template <auto Member>
constexpr server_figure is(std::string_view key, std::string_view help) {
  return {{key, flag, help}, [](const server_status& s) { return value{s.*Member}; }};
}
template <auto Member>
constexpr server_figure state(std::string_view key, std::string_view help,
                              zmtp::figure::unit in = zmtp::figure::unit::none) {
  return {{key, gauge, help, in},
          [](const server_status& s) { return value{std::uint64_t{s.*Member}}; }};
}
template <auto Member>
constexpr server_figure position(std::string_view key, std::string_view help) {
  return {{key, gauge, help},
          [](const server_status& s) { return value{chp::position_of(s.*Member)}; }};
}
template <auto Member>
constexpr server_figure count(std::string_view key, std::string_view help) {
  return {{key, counter, help},
          [](const server_status& s) { return value{s.counters.log.*Member}; }};
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
constexpr server_figure forbidden(std::string_view key, std::string_view help) {
  return {{key, counter, help},
          [](const server_status& s) { return value{s.counters.forbidden.*Member}; }};
}

using log = chp::log_counters;
using access = chp::access_counters;
constexpr std::array server_table{
    is<&server_status::active>("active", "the server accepts updates"),
    server_figure{{"epoch", gauge, "epoch of the last entry of the log"},
                  [](const server_status& of) { return value{chp::epoch_of(of.number)}; }},
    position<&server_status::number>("number", "position of the last entry of the log"),
    position<&server_status::committed>("committed", "position up to which entries are committed"),
    position<&server_status::both>("both", "position up to which both servers have the entries"),
    server_figure{
        {"not_committed", gauge, "entries of this epoch that are not committed"},
        [](const server_status& of) { return value{entries_after(of.committed, of.number)}; }},
    server_figure{
        {"not_on_both", gauge, "entries of this epoch that only this server of a pair has"},
        [](const server_status& of) { return value{entries_after(of.both, of.number)}; }},
    is<&server_status::backup_in_sync>("backup_in_sync", "the passive server has every update"),
    is<&server_status::degraded>("degraded",
                                 "clients see updates that the other server may not have"),
    is<&server_status::following>("following", "the server has the updates of the active server"),
    is<&server_status::stopped>("stopped", "an operator must decide which data is right"),
    state<&server_status::keys>("keys", "keys of the map"),
    state<&server_status::bytes>("bytes", "size of the keys and values", in_bytes),
    state<&server_status::log_entries>("log_entries", "entries of the log"),
    state<&server_status::log_bytes>("log_bytes", "memory of the log", in_bytes),
    state<&server_status::sessions>("sessions", "known sessions of clients"),
    state<&server_status::subscribers>("subscribers", "connections to the publisher"),
    state<&server_status::snapshot_clients>("snapshot_clients", "connections to the snapshot port"),
    state<&server_status::snapshots>("snapshots", "snapshots that are being sent"),
    state<&server_status::waiting>("waiting", "updates that a passive server keeps"),
    count<&log::updates>("updates", "updates of clients"),
    count<&log::repeated>("repeated", "updates that were known already"),
    count<&log::deferred>("deferred", "updates left with the client for now"),
    count<&log::unknown>("unknown", "updates of forgotten sessions"),
    count<&log::expired>("expired", "expired keys"),
    count<&log::followed>("followed", "entries received from the active server"),
    count<&log::replayed>("replayed", "updates appended after they waited at a passive server"),
    count<&log::waiting_dropped>("waiting_dropped", "waiting updates dropped at the limit"),
    count<&log::lost>("lost", "entries written to files of lost updates"),
    server_figure{{"snapshots_sent", counter, "snapshots sent completely"},
                  [](const server_status& of) { return value{of.counters.snapshots}; }},
    server_figure{{"snapshots_too_slow", counter,
                   "oldest snapshots that were ended, because too many past entries were needed"},
                  [](const server_status& of) { return value{of.counters.slow_snapshots}; }},
    server_figure{{"gaps", counter, "gaps in the updates of a server of the Guide"},
                  [](const server_status& of) { return value{of.counters.gaps}; }},
    server_figure{{"ignored", counter, "ignored requests and messages"},
                  [](const server_status& of) {
                    return value{of.counters.ignored_requests + of.counters.ignored_messages};
                  }},
    server_figure{{"refused", counter, "refused updates and messages"},
                  [](const server_status& of) {
                    return value{sum(of.counters.refused) + sum(of.counters.log.refused)};
                  }},
    forbidden<&access::subscriptions>("forbidden_subscriptions",
                                      "subscriptions refused by access rules"),
    forbidden<&access::snapshots>("forbidden_snapshots", "snapshots refused by access rules"),
    forbidden<&access::updates>("forbidden_updates", "updates refused by access rules"),
    forbidden<&access::sessions>("forbidden_sessions", "updates with a session of another user"),
    forbidden<&access::backups>("forbidden_backups",
                                "messages of a server that may not copy the map"),
    server_figure{
        {"stored", word, "the part of the map that the store has"},
        [](const server_status& of) { return value{std::string_view{chp::to_string(of.stored)}}; }},
    position<&server_status::durable>("durable", "position up to which the disk has the entries"),
    server_figure{
        {"acknowledge_time", histogram, "time from an update to its acknowledgement", in_seconds},
        [](const server_status& of) {
          return value{zmtp::durations_of(of.counters.log.acknowledge_time)};
        }},
    server_figure{
        {"sync_time", histogram, "time to write a batch to the store and sync it", in_seconds},
        [](const server_status& of) { return value{zmtp::durations_of(of.sync_time)}; }},
};

}  // namespace

std::span<const zmtp::figure_of<chp::server_status>> chp_figures() noexcept { return server_table; }

}  // namespace zinc
