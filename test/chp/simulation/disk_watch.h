#pragma once
// Looks at what a server writes to its disk: no id is executed twice in one history, and what both
// servers have is on both disks.

#include "chp/sequence.h"
#include "chp/state_write.h"
#include "test/chp/simulation/map_history.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chp::simulation {

class disk_watch {
public:
  disk_watch(map_history& to, server who, std::string host)
      : history_{&to}, who_{who}, host_{std::move(host)} {}

  // A write was carried out.
  void on_write(const state_write& change);
  // The pieces of an unfinished transaction are gone.
  void on_crash() { pieces_.clear(); }
  void on_wipe() { made_.clear(); }

private:
  void look(std::string_view records);

  map_history* history_;
  server who_;
  std::string host_;
  std::vector<state_write> pieces_;
  std::map<std::string, sequence, std::less<>> made_;  // values; each is written once
};

}  // namespace chp::simulation
