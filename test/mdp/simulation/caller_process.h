#pragma once
// A program that calls services at random, with a client of Zinc.

#include "mdp/options.h"
#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/sim_client.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mdp::simulation {

// How callers call.
struct manners {
  std::chrono::milliseconds pace{200};  // between bursts, at most
  std::size_t burst = 3;
  std::size_t in_flight = 8;
  std::size_t calls = 60;
  std::size_t bytes = 600;  // largest body
  unsigned hurries = 30;    // percent of the calls that have a deadline
};

// A call without an answer after this time is lost.
inline constexpr std::chrono::milliseconds timeout{300'000};

class caller_process final : public process {
public:
  caller_process(town& in, std::string name, std::vector<std::string> brokers,
                 std::vector<const trade*> asks, const client_options& options, const manners& how)
      : process{in, std::move(name)},
        brokers_{std::move(brokers)},
        asks_{std::move(asks)},
        options_{options},
        how_{how} {}

  // Faults to put in, to see that they are noticed.
  struct planted_fault {
    sim_client::planted_fault client{};
    bool forgets_time_in_all = false;
  };

  [[nodiscard]] planted_fault& faults() noexcept { return faults_; }
  // Asks one service now, in whatever way; the number of the call. It must be running.
  std::uint32_t ask(const trade& what);
  // … once, and waits for the answer.
  std::uint32_t ask_patiently(const trade& what);
  // No more of its own accord.
  void be_quiet() noexcept { how_.calls = 0; }
  void leave();

private:
  void begin() override;
  void end() override;
  void wake_later();
  void wake();
  std::uint32_t ask(const trade& what, request_options how);

  std::vector<std::string> brokers_;
  std::vector<const trade*> asks_;
  client_options options_;
  manners how_;
  planted_fault faults_;
  std::unique_ptr<sim_client> life_;
  std::set<std::uint32_t> open_;
};

}  // namespace mdp::simulation
