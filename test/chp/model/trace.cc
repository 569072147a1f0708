// How promises, numbers, entries and states look in a trace.

#include "test/chp/model/checker.h"

#include <algorithm>

namespace chp::model {

const char* name_of(promise p) {
  static constexpr std::array names{
      "acknowledged_is_kept", "both_is_true",    "real_time_order",
      "cut_is_one_servers",   "cut_is_in_file",  "loss_is_reported",
      "carried_out_once",     "map_is_the_log",  "expires_never_early",
      "history_lost_is_told", "in_sync_has_all", "looks_after_pause",
      "epoch_once",           "epochs_last",     "data_before_emptiness",
      "stops_with_cause",     "ends_well",       "subscribers_miss_nothing",
      "witness_keeps_all"};
  return names.at(static_cast<std::size_t>(p));
}

std::string text(number at) {
  return std::to_string(epoch_of(at)) + "/" + std::to_string(at & 0xFFFF);
}

std::string text(const entry& e) {
  static constexpr std::array names{"reign", "set", "erase", "expiry", "refusal"};
  std::string result = text(e.at) + " " + names.at(static_cast<std::size_t>(e.what));
  if (e.what == kind::reign) {
    return result;
  }
  result += " key " + std::to_string(e.key);
  if (e.update != 0) {
    result += " update " + std::to_string(e.update);
  }
  return e.session == 0
             ? result
             : result + " id " + std::to_string(e.session) + ":" + std::to_string(e.counter);
}

bool well(const checker::servers& servers, const std::vector<client>& clients) {
  const bool synced = servers[0]->in_sync() || servers[1]->in_sync();
  const kept& a = servers[0]->state();
  const kept& b = servers[1]->state();
  return synced && a.end() == b.end() && a.commit == b.commit && a.commit == a.end() &&
         std::all_of(clients.begin(), clients.end(), [](const client& c) { return c.idle(); });
}

std::string text(const checker::servers& servers, const std::vector<client>& clients) {
  std::string result = "all is not well:";
  for (const auto& s : servers) {
    static constexpr std::array names{"passive", "active", "stopped", "down"};
    result += std::string{" "} + names.at(static_cast<std::size_t>(s->is())) + " end " +
              text(s->state().end()) + " commit " + text(s->state().commit) +
              (s->in_sync() ? " in sync;" : ";");
  }
  for (const client& c : clients) {
    result += c.idle() ? " idle" : " waits";
  }
  return result;
}

}  // namespace chp::model
