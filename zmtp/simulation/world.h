#pragma once
// A simulation of programs that use sockets: their processes, the network between them, and time.
//
// Everything happens in one thread and follows from the seed: the same programs and the same seed
// give the same run, on every machine. Virtual time costs nothing while nothing happens.
//
// Sockets can have all endpoints: tcp, ipc, inproc, ws, wss, tls+tcp. OpenSSL draws its random numbers itself, so
// with TLS the bytes of two runs differ. Their sizes and times do not, if the certificates have Ed25519 or RSA keys.

#include "zmtp/simulation/process.h"
#include "zmtp/simulation/simulated_network.h"
#include "zmtp/simulation/trace.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zmtp::simulation {

class world {
public:
  using duration = event_queue::duration;
  using time_point = event_queue::time_point;

  explicit world(std::uint64_t seed, const net_options& options = {});

  // A process that is not running. Lives as long as the world. Each host has one process.
  process& add(std::string host);

  [[nodiscard]] simulated_network& net() noexcept { return net_; }
  [[nodiscard]] random_source& random() noexcept { return net_.here().random; }
  [[nodiscard]] time_point now() const noexcept { return net_.now(); }
  // Calls `act` when the time has come, outside of every process: for faults and checks.
  void after(duration wait, event_queue::action act) {
    net_.here().events.after(wait, std::move(act));
  }

  // Runs one handler of a process that the seed picks, which takes up to 20 µs. If no process has
  // one, moves time to the next event. Returns false if nothing is left to happen.
  bool step();
  // Runs until this much time has passed.
  void run_for(duration time);
  // Runs until `done` returns true. Returns false if that does not happen within `limit`.
  [[nodiscard]] bool run_until(const std::function<bool()>& done, duration limit);

private:
  simulated_network net_;
  std::vector<std::unique_ptr<process>> processes_;
};

}  // namespace zmtp::simulation
