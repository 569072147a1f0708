#pragma once
// A schedule of events, and its run. An event that cannot happen when its turn comes is left out, so a
// schedule stays one when events are taken from it: that is how a violation is made short.

#include "test/chp/model/checker.h"
#include "test/chp/model/replica.h"

namespace chp::model {

enum class deed : std::uint8_t {
  tick,          // time passes for both servers
  hear_peer,     // the next message of the dialogue arrives at server `who`
  hear_client,   // the next message of client `what` arrives at server `who`
  tell_client,   // the next message of server `who` arrives at client `what`
  sync,          // the disk of `who` finishes `what` transactions
  set,           // client `who` begins an update
  client_timer,  //
  // faults
  crash,          // the process ends; of what the disk has not synced, some arrived
  power_loss,     // the process ends, and what the disk has not synced is lost
  wipe,           // the same, and the disk is empty
  start,          //
  start_by_hand,  // with --promote-alone
  cut,            // server `who` receives nothing from its peer
  heal,           //
  drop,           // the dialogue ends, with all that is on the wire
  drop_client,    // the connection of client `what` to server `who`
  cut_client,     //
  heal_client,    //
  fail_store,     //
  heal_store,     //
  pause,          //
  resume,         //
  forge,          // a state message with a huge epoch
  // With a witness.
  ask_witness,   // the next attempt of server `who` arrives; `what` chooses an older one
  hear_witness,  // the next answer arrives
  lose_witness,  // server `who` gets an error for an attempt, which may still arrive
  last_one,
};

struct event {
  deed to_do = deed::tick;
  std::uint8_t who = 0;
  std::uint32_t what = 0;
};

struct schedule {
  settings how;
  std::vector<event> events;
};

struct figures {
  std::uint64_t answers = 0, cuts = 0, losses = 0;
};

struct finding {
  violation broken;
  schedule shortest;
  std::vector<std::string> trace;
};

schedule make_schedule(std::uint64_t seed, planted fault, bool has_witness = false);
// Runs a schedule, then ends all faults and waits until all is well. Throws a violation.
figures run(const schedule& s, std::vector<std::string>* trace = nullptr,
            maker servers = replica::make);
// The violation that a seed's schedule finds.
std::optional<violation> try_seed(std::uint64_t seed, planted fault, figures& sum,
                                  maker servers = replica::make, bool has_witness = false);
// The same violation in its shortest form, with a trace.
finding shorten(std::uint64_t seed, planted fault, const violation& v,
                maker servers = replica::make, bool has_witness = false);
std::string describe(std::uint64_t seed, const finding& f);

}  // namespace chp::model
