#pragma once
// Violations that a simulation of a pair of the map can detect.

#include <cstdint>
#include <string_view>

namespace chp::simulation {

enum class violation : std::uint8_t {
  lost,             // an update of both servers is missing, although one of them still had it
  older_wins,       // an update that ended before another one began has replaced it
  came_back,        // an update is in the map that was refused, never sent, or reported as lost
  unknown_value,    // a value in the map that no client has written
  not_in_copy,      // an update has ended, and the copy of its client does not show it
  not_on_both,      // an outcome names both servers, and the disk of one never had the update
  made_twice,       // one id was executed twice in one history
  one_in_block,     // under degraded_policy::block, an outcome names one server
  untold_degraded,  // an outcome names one server, and its client was not told degraded meanwhile
  claims_guide,     // an outcome says that a server of the Guide has the update
  unreported_history,  // a client follows a history that lacks what it has seen, without history_lost
  seen_lost,        // a value is lost that a client has seen, and the client was not told degraded
  unreported_loss,  // an update of one server is lost, and its client was not told
  not_in_file,    // a server has removed an update from its history without writing it to the file
  cut_of_both,    // a server has removed an update of both servers, which the other does not have
  expired_early,  // by the clock of the server that ended the key
  expired_returns,     // a key is in the map again that had expired on both servers
  unexpired,           // all is well, and a key has outlived its time
  forged_epoch_taken,  // a server has an epoch that was forged
  stopped,  // a server waits for an operator, although no server lost its disk and its epochs
  damaged,  // a disk cannot be loaded
  not_handed_over,  // its disk has failed, and a server stays active beside one in sync
  not_in_sync,      // all is well, and the servers are not in sync in time
  unequal,          // all is well, and two maps differ
  stays_degraded,   // all is well, and a client is still told degraded
  unended,          // all is well, and a call has not ended in time
};

[[nodiscard]] constexpr std::string_view to_string(violation v) noexcept {
  switch (v) {
    case violation::lost: return "lost";
    case violation::older_wins: return "an older update wins";
    case violation::came_back: return "came back";
    case violation::unknown_value: return "unknown value";
    case violation::not_in_copy: return "not in the copy";
    case violation::not_on_both: return "not on both servers";
    case violation::made_twice: return "made twice";
    case violation::one_in_block: return "one server in block";
    case violation::untold_degraded: return "degraded and not told";
    case violation::claims_guide: return "claims to know the Guide's server";
    case violation::unreported_history: return "unreported history";
    case violation::seen_lost: return "seen and lost";
    case violation::unreported_loss: return "unreported loss";
    case violation::not_in_file: return "not in the file";
    case violation::cut_of_both: return "cut of both";
    case violation::expired_early: return "expired early";
    case violation::expired_returns: return "an expired key returns";
    case violation::unexpired: return "unexpired";
    case violation::forged_epoch_taken: return "a forged epoch was taken";
    case violation::stopped: return "stopped";
    case violation::damaged: return "damaged";
    case violation::not_handed_over: return "not handed over";
    case violation::not_in_sync: return "not in sync";
    case violation::unequal: return "unequal";
    case violation::stays_degraded: return "stays degraded";
    case violation::unended: return "unended";
  }
  return {};
}

}  // namespace chp::simulation
