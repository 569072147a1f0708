#pragma once
// Looks at the map of a server while that is active: no key expires early, and an expired key stays
// erased. Pure.

#include "test/chp/simulation/map_history.h"
#include "zmtp/simulation/clock_rate.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace chp::simulation {

// Each reign counts the full time of a key again, from the beginning of the reign or from the
// arrival of the update, which is not before the client sent it. The server's clock counts.
class expiry_watch {
public:
  using time_point = zmtp::simulation::clock_rate::time_point;
  // Whether clients see the key.
  using lookup = std::function<bool(std::string_view key)>;

  expiry_watch(map_history& to, std::string host) : history_{&to}, host_{std::move(host)} {}
  void set_clock(zmtp::simulation::clock_rate rate) noexcept { clock_ = rate; }

  // The times are those of the simulation.
  void on_active(time_point now);
  // The server is passive, or has ended.
  void on_end() noexcept { is_active_ = false; }
  // The map can have changed. `on_both`: both servers have all that clients see.
  void look(const lookup& has, bool on_both, time_point now);

private:
  void check(const map_history::lease& of, time_point now);

  map_history* history_;
  std::string host_;
  zmtp::simulation::clock_rate clock_;
  bool is_active_ = false;
  time_point since_;
  std::map<map_history::index, bool> seen_;  // leases of this reign; false: the key is gone again
};

}  // namespace chp::simulation
