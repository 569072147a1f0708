#include "test/bstar/simulation/pair_history.h"

#include <utility>

namespace bstar::simulation {

namespace {

// The clock moves by some microseconds between the look of a server and the note of it here.
constexpr std::chrono::milliseconds tolerance{1};

std::string name(server who) { return who == 0 ? "primary" : "backup"; }

}  // namespace

void pair_history::on_start(server who, epoch known) {
  auto& of = at(who);
  if (known < of.known) {
    report(violation::epoch_went_back, name(who) + " starts with " + std::to_string(known) +
                                           " after " + std::to_string(of.known));
  }
  of = {.running = true,
        .last = of.last,
        .known = known,
        .heard_at = now(),
        .awake_since = now(),
        .served_at = of.served_at};
  world_->note("start of server", {who, known});
}

void pair_history::on_end(server who) {
  at(who).running = false;
  world_->note("end of server", {who});
}

void pair_history::on_resume(server who) {
  at(who).paused = false;
  at(who).awake_since = now();
}

void pair_history::on_link_trouble() { ++link_troubles_; }

void pair_history::on_link_repaired() {
  --link_troubles_;
  repaired_at_ = now();
}

bool pair_history::connected_since(time_point time) const {
  return link_troubles_ == 0 && time >= repaired_at_ + rules_.until_connected();
}

void pair_history::on_active(server who, epoch with, epoch stored, bool by_report) {
  auto& of = at(who);
  const auto in_epoch = name(who) + " in epoch " + std::to_string(with);
  ++changes_;
  world_->note("active: server", {who, with});
  if (const auto [owner, is_new] = owners_.emplace(with, who); !is_new && owner->second != who) {
    report(violation::epoch_of_both, in_epoch);
  }
  if (with <= of.last) {
    report(violation::epoch_went_back, in_epoch + " after " + std::to_string(of.last));
  }
  if (stored < with) {
    report(violation::epoch_not_stored, in_epoch);
  }
  of.current = of.last = with;
  if (!by_report) {
    ++takeovers_;
    of.unasked = true;
    check_takeover(who);
  }
}

// Without a state of its peer, a server takes over only if the peer was silent for the expiry. A
// peer that is well is not silent.
void pair_history::check_takeover(server who) {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const auto silent = now() - at(who).heard_at;
  if (silent + tolerance < rules_.expiry) {
    report(violation::too_early, name(who) + " after " +
                                     std::to_string(duration_cast<milliseconds>(silent).count()) +
                                     " ms");
  }
  const auto& peer = at(1 - who);
  if (peer.running && !peer.paused && connected_since(now()) &&
      now() >= peer.awake_since + rules_.until_connected()) {
    report(violation::too_early, name(who) + " from a peer that is well");
  }
}

void pair_history::on_passive(server who) {
  ++changes_;
  world_->note("passive: server", {who});
}

void pair_history::on_served(server who) {
  auto& of = at(who);
  of.unasked = false;
  of.served_at = now();
  ++served_;
  const auto& peer = at(1 - who);
  if (peer.current > of.current && peer.served_at && connected_since(*peer.served_at)) {
    report(violation::two_served, name(who) + " in epoch " + std::to_string(of.current) +
                                      " after its peer in " + std::to_string(peer.current));
  }
}

void pair_history::on_step(server who, epoch known) {
  auto& of = at(who);
  if (std::exchange(of.unasked, false)) {
    report(violation::unasked, name(who) + " in epoch " + std::to_string(of.current));
  }
  if (known < of.known) {
    report(violation::epoch_went_back,
           name(who) + " knows " + std::to_string(known) + " after " + std::to_string(of.known));
  }
  of.known = known;
}

void pair_history::report(violation what, std::string text) {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const auto time = duration_cast<milliseconds>(now().time_since_epoch()).count();
  findings_.push_back({what, std::move(text) + ", at " + std::to_string(time) + " ms"});
  world_->note("violation: " + std::string{to_string(what)}, {});
}

}  // namespace bstar::simulation
