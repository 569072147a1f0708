#include "tools/zinc/pair_report.h"

#include "tools/zinc/output.h"

#include <spdlog/spdlog.h>

#include <cstdio>
#include <system_error>

namespace zinc {

namespace {

const char* text(bstar::passive_reason why) {
  switch (why) {
    case bstar::passive_reason::peer_active: return "peer-active";
    case bstar::passive_reason::superseded: return "superseded";
    case bstar::passive_reason::yielded: return "yielded";
    case bstar::passive_reason::handed_over: return "handed-over";
  }
  return "unknown";
}

const char* text(bstar::event what) {
  switch (what) {
    case bstar::event::same_role:
      return "pair misconfigured: the peer has the same role; use --primary and --backup";
    case bstar::event::dual_active:
      return "split brain: the peer was active too; check the network between the nodes, and the "
             "updates of clients";
    case bstar::event::dual_passive: return "both passive: the peer was passive too";
    case bstar::event::suspended:
      return "suspended: the process was paused and the peer may be active; rejecting requests "
             "until the peer answers";
    case bstar::event::resumed: return "resumed: the peer has not taken over; active again";
    case bstar::event::epochs_exhausted:
      return "epochs used up: stop both nodes and remove both epoch files";
    case bstar::event::epoch_unproven:
      return "epoch unproven: not taking over, because the peer's epoch is more than 1,000 above "
             "the "
             "known ones; if the peer's epoch file has that number, stop this node and copy it";
    case bstar::event::data_lost:
      return "data lost: the peer may have the data and does not answer; start the peer, or "
             "restart "
             "this node with --promote-alone to begin without data";
    case bstar::event::peer_unresponsive:
      return "peer unresponsive: no message for the expiry; check the other node and the network";
  }
  return "unknown";
}

// Prints a line. The node continues if the line cannot be written.
void say_state(const std::string& line) {
  try {
    say(line);
  } catch (const std::system_error& e) {
    spdlog::error("state not printed: {} line='{}'", e.what(), line);
  }
}

}  // namespace

void say(const std::string& line) {
  std::puts(line.c_str());
  flush_output();
}

void say_active(bstar::epoch which) { say_state("active " + std::to_string(which)); }

void say_passive(bstar::passive_reason why) { say_state(std::string{"passive "} + text(why)); }

void log_pair_event(bstar::event what) { spdlog::warn("{}", text(what)); }

void log_unwritten_epoch(boost::system::error_code ec) {
  spdlog::error("not active: cannot write the epoch: {}", ec.message());
}

}  // namespace zinc
