#pragma once
// Sees everything, and throws a violation where a promise of docs/chp-log.md is broken. It also writes the trace.

#include "test/chp/model/client.h"
#include "test/chp/model/participant.h"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace chp::model {

enum class promise : std::uint8_t {
  acknowledged_is_kept,  // an entry of both is lost only when no server has it any more
  both_is_true,          // "both" is said only of what both have had, and `block` says nothing else
  real_time_order,       // an update that ended before another one began never replaces it
  cut_is_one_servers,    // a cut takes what was acknowledged by one server at most
  cut_is_in_file,        //
  loss_is_reported,      // a client hears of each update that it was told of and that is lost
  carried_out_once,  // also: in the order of counters, and never after a refusal or a report of a loss
  map_is_the_log,       // so an erased key stays erased
  expires_never_early,  //
  history_lost_is_told,  // and only if nothing that both had is missing from what the client has seen
  in_sync_has_all,       // a backup in sync has all that was acknowledged
  looks_after_pause,     // a server that was paused acknowledges nothing before it has looked
  epoch_once,            // no server begins two reigns with one epoch
  epochs_last,           // a forged message cannot exhaust the epochs
  data_before_emptiness,  // a server without data does not become active beside one that has data
  stops_with_cause,       // a server stops only where an empty server was promoted
  ends_well,              // when faults stop: in sync, all equal, all calls ended
  subscribers_miss_nothing,  // a subscriber that stays misses nothing of a short reign of the peer
  witness_keeps_all,  // with a witness: an acknowledged update is lost only when no server has it
};

const char* name_of(promise p);

struct violation {
  promise broken;
  std::string what;
};

class checker {
public:
  using servers = std::array<std::unique_ptr<participant>, 2>;
  checker(surroundings& around, const servers& all) : around_{around}, servers_{all} {}

  bool tracing = false;
  std::vector<std::string> trace;
  void say(const std::string& line);

  // Called by the world.
  void after_event();
  void after_loss();  // a process or a disk is gone
  void on_wipe(std::size_t server) { wiped_.at(server) = true; }
  void on_promotion_by_hand() { by_hand_ = true; }
  void at_end(const std::vector<client>& clients);

  // Called by replicas and clients.
  void on_start(const participant& r) const { check_log(r.state()); }
  void on_active(const participant& r, epoch e);
  void on_passive(const participant& r);
  void on_resume(const participant& r);
  void on_in_sync(const participant& r);
  void on_backup_dropped(const participant& r);
  void on_stopped(const participant& r);
  void on_append(const participant& r, const entry& e);
  void on_published(const participant& r);
  void on_answer(const participant& r, const answer& a);
  void on_cut(const participant& r, number common, const std::vector<number>& file, bool incomplete,
              bool by_hand);
  void on_begin(const client& c, const update& u);
  void on_adopt(const client& c, const snapshot& s, bool lost, const position& seen,
                std::uint64_t stamp, bool seen_degraded, unsigned asked);
  void on_result(const client& c, const call& what);
  void on_record(const membership& record);
  void on_heard(const participant& r) { looks_until_.at(r.self()) = 0; }

  [[nodiscard]] std::uint64_t cuts() const { return cuts_; }
  [[nodiscard]] std::uint64_t losses() const { return losses_; }
  [[nodiscard]] std::uint64_t answers() const { return answers_; }

private:
  struct known_entry {
    entry what;
    unsigned had = 0;  // bit s: server s has had it, on its disk if it has a store
    bool answered = false;
    bool answered_both = false;
    bool gone = false;  // no server has it any more
    std::uint64_t made_at = 0;
  };
  struct known_update {
    std::uint64_t began = 0, ended = 0;  // in events; 0: not yet
    bool refused = false, reported = false;
  };

  // Most promises hold, so the description is made only if this one is broken.
  template <class Describe>
  static void require(bool holds, promise p, const Describe& describe) {
    if (!holds) {
      throw violation{p, describe()};
    }
  }
  void note_durable();
  void check_log(const kept& history) const;
  [[nodiscard]] bool holds(const participant& r, const known_entry& e) const;
  [[nodiscard]] bool data_elsewhere(std::size_t server) const;

  surroundings& around_;
  const servers& servers_;
  std::uint64_t events_ = 0;
  std::map<std::uint64_t, known_entry> entries_;   // by stamp
  std::map<std::uint32_t, known_update> updates_;  // by number
  std::array<std::set<epoch>, 2> epochs_;
  std::array<bool, 2> wiped_{};
  std::array<std::uint64_t, 2> looks_until_{};
  bool by_hand_ = false;
  bool root_over_data_ =
      false;  // an empty server was promoted although there were data: what both had may go
  std::uint64_t cuts_ = 0, losses_ = 0, answers_ = 0;
};

std::string text(number at);
std::string text(const entry& e);
std::string text(const checker::servers& servers, const std::vector<client>& clients);
// Both servers are in sync, and every call has ended.
bool well(const checker::servers& servers, const std::vector<client>& clients);

}  // namespace chp::model
