#pragma once
// The history of a simulated Binary Star pair: the lives of the servers, their epochs, the requests
// that they accepted, the state of the link between them, and the rules that were broken.

#include "bstar/state_message.h"
#include "test/bstar/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "zmtp/simulation/run_state.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bstar::simulation {

// 0 is the primary, 1 the backup.
using server = std::size_t;

// The times that the pair must keep.
struct pair_rules {
  std::chrono::nanoseconds heartbeat{};
  std::chrono::nanoseconds expiry{};

  // The longest time until the two connections of the pair work again after a fault. A connection
  // without traffic is given up after a heartbeat and the expiry. The rest is for the reconnect
  // interval and the handshake.
  [[nodiscard]] std::chrono::nanoseconds until_connected() const noexcept {
    return 2 * expiry + 2 * heartbeat;
  }
  // … until one server is active.
  [[nodiscard]] std::chrono::nanoseconds until_active() const noexcept {
    return until_connected() + 2 * heartbeat;
  }
};

class pair_history {
public:
  using finding = zmtp::simulation::finding<violation>;
  using time_point = zmtp::simulation::event_queue::time_point;

  pair_history(zmtp::simulation::run_state& in, const pair_rules& rules)
      : world_{&in}, rules_{rules} {}

  // `known` is the latest epoch that the server has read from its file.
  void on_start(server who, epoch known);
  void on_end(server who);
  void on_pause(server who) { at(who).paused = true; }
  void on_resume(server who);
  // Faults of the network between the servers, which may overlap. A server that does not run is
  // one.
  void on_link_trouble();
  void on_link_repaired();

  // The server has handled a state of its peer.
  void on_heard(server who) { at(who).heard_at = now(); }
  // `stored` is the epoch in the file. `by_report`: it had handled a state of a peer that is not
  // active just before.
  void on_active(server who, epoch with, epoch stored, bool by_report);
  void on_passive(server who);
  // The server has accepted a request, in the epoch with which it became active last.
  void on_served(server who);
  // Call after each step of the simulation. `known` is the epoch of the server's status.
  void on_step(server who, epoch known);

  void report(violation what, std::string text);
  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }
  [[nodiscard]] const pair_rules& rules() const noexcept { return rules_; }
  // Times that a server became active or passive.
  [[nodiscard]] std::size_t changes() const noexcept { return changes_; }
  [[nodiscard]] std::size_t takeovers() const noexcept { return takeovers_; }
  [[nodiscard]] std::size_t served() const noexcept { return served_; }

private:
  struct record {
    bool running = false;
    bool paused = false;
    bool unasked = false;  // has taken over, and no request was accepted yet
    epoch current = 0;     // with which it became active in this life
    epoch last = 0;        // with which it became active in any life
    epoch known = 0;
    time_point heard_at{};  // or the start
    time_point awake_since{};
    std::optional<time_point> served_at{};
  };

  [[nodiscard]] time_point now() const { return world_->events.now(); }
  [[nodiscard]] record& at(server who) { return records_[who]; }
  // The connections of the pair work, and have worked since `time`.
  [[nodiscard]] bool connected_since(time_point time) const;
  void check_takeover(server who);

  zmtp::simulation::run_state* world_;
  pair_rules rules_;
  std::array<record, 2> records_;
  std::map<epoch, server> owners_;
  std::size_t link_troubles_ = 0;
  time_point repaired_at_{};
  std::vector<finding> findings_;
  std::size_t changes_ = 0;
  std::size_t takeovers_ = 0;
  std::size_t served_ = 0;
};

}  // namespace bstar::simulation
