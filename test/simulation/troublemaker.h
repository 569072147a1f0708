#pragma once
// Puts faults into a simulated network at random times, and takes them away again.

#include "test/simulation/sim_net.h"
#include "test/simulation/sim_socket.h"

#include <cstddef>
#include <string>
#include <vector>

namespace zmtp::simulation {

struct troubles {
  bool cuts = false;         // connections die, at any octet
  bool half_open = false;    // … and an end does not learn of it
  bool pauses = false;       // hosts stand still
  bool disconnects = false;  // users close connections
  bool moves = false;        // users disconnect endpoints and connect again
  bool outages = false;      // listeners are away

  [[nodiscard]] bool none() const noexcept {
    return !cuts && !half_open && !pauses && !disconnects && !moves && !outages;
  }
  // Octets under way may be lost.
  [[nodiscard]] bool lossy() const noexcept { return cuts || half_open || disconnects || moves; }
};

class troublemaker {
public:
  struct endpoint {
    sim_socket* binds;
    sim_socket* connects;
    std::string name;
  };

  troublemaker(sim_net& net, const troubles& kinds, std::vector<endpoint> endpoints);

  void start(event_queue::duration lasting, event_queue::duration pace);
  // All is as it was.
  void stop();
  [[nodiscard]] std::size_t made() const noexcept { return made_; }

private:
  void make_later();
  void make_one();
  void cut_one();
  void pause_one();
  void disconnect_one();
  void move_one();
  void take_away_one();
  [[nodiscard]] event_queue::duration up_to(event_queue::duration most);
  [[nodiscard]] virtual_stream::learns_after some_time_to_learn();

  sim_net* net_;
  troubles kinds_;
  std::vector<endpoint> endpoints_;
  event_queue::time_point until_{};
  event_queue::duration pace_{};
  bool stopped_ = false;
  std::size_t made_ = 0;
};

}  // namespace zmtp::simulation
