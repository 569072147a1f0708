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
  }
  return "unknown";
}

const char* text(bstar::event what) {
  switch (what) {
    case bstar::event::same_role:
      return "the peer has the same role: make one the primary and one the backup";
    case bstar::event::dual_active:
      return "the peer was active too: look at the network between the two, and at what clients "
             "did meanwhile";
    case bstar::event::dual_passive: return "the peer was passive too";
    case bstar::event::suspended:
      return "this process stood still, and serves nobody until it knows whether the peer has "
             "taken over";
    case bstar::event::resumed: return "the peer has not taken over: active again";
    case bstar::event::epochs_exhausted:
      return "there is no epoch left: remove the epoch files of both nodes while both are stopped";
    case bstar::event::data_lost:
      return "this node has lost its data, and the peer, which may have them, is silent: start the "
             "peer, or, to begin with nothing, this one again with --promote-alone";
  }
  return "unknown";
}

// A node keeps serving if the line cannot be written.
void say_state(const std::string& line) {
  try {
    say(line);
  } catch (const std::system_error& e) {
    spdlog::error("{}: {}", e.what(), line);
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
  spdlog::error("the epoch cannot be written, so this node does not become active: {}",
                ec.message());
}

}  // namespace zinc
