#pragma once
// The end of a run. All faults are over, so the servers must be in sync, all clients equal, and all
// calls ended.

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/fault_schedule.h"
#include "test/chp/simulation/guide_process.h"
#include "test/chp/simulation/map_history.h"
#include "test/chp/simulation/server_process.h"
#include "test/chp/simulation/setting.h"
#include "test/chp/simulation/simulated_witness.h"
#include "zmtp/simulation/world.h"

#include <memory>
#include <vector>

namespace chp::simulation {

class recovery {
public:
  template <class Process>
  using all = std::vector<std::unique_ptr<Process>>;

  // All of these must outlive the recovery. There are two servers.
  recovery(zmtp::simulation::world& in, map_history& to, const setting& how,
           fault_schedule& schedule, witness_record& witness, const all<server_process>& servers,
           const all<client_process>& clients, const all<guide_process>& guides)
      : world_{in},
        history_{to},
        setting_{how},
        schedule_{schedule},
        witness_{witness},
        servers_{servers},
        clients_{clients},
        guides_{guides} {}

  // `hands_over`: the disk of the active server fails first.
  void run(bool hands_over);

private:
  void fail_active_disk();
  void decide();
  void compare();
  [[nodiscard]] bool any(bool (server_process::*is)() const) const;
  [[nodiscard]] bool is_served(const client_process& one) const {
    return one.running() && one.reaches(active()) && one.has_room_for(*servers_[active()]);
  }
  [[nodiscard]] server active() const { return servers_[0]->is_active() ? 0 : 1; }
  [[nodiscard]] bool in_sync() const { return any(&server_process::is_in_sync); }
  [[nodiscard]] bool all_ended() const;

  zmtp::simulation::world& world_;
  map_history& history_;
  const setting& setting_;
  fault_schedule& schedule_;
  witness_record& witness_;
  const all<server_process>& servers_;
  const all<client_process>& clients_;
  const all<guide_process>& guides_;
};

}  // namespace chp::simulation
