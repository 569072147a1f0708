#pragma once
// A program that calls services at random, with a production client.

#include "mdp/client.h"
#include "mdp/options.h"
#include "test/mdp/simulation/process.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
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
inline constexpr std::chrono::milliseconds timeout{120'000};

class caller_process final : public process {
public:
  // Faults of the program, to plant in a test.
  struct planted_fault {
    bool forgets_time_in_all = false;
    bool knows_one_broker = false;
    bool hides_failures = false;
    bool tells_replies_twice = false;
    bool adds_to_replies = false;
  };

  caller_process(setting& in, const std::string& name, std::vector<std::string> brokers,
                 std::vector<const trade*> asks, const client_options& options, const manners& how)
      : process{in, name},
        brokers_{std::move(brokers)},
        asks_{std::move(asks)},
        options_{options},
        how_{how} {}
  ~caller_process() override { kill(false); }

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
  void on_end(std::uint32_t call, const boost::system::error_code& ec, zmtp::message reply);

  std::vector<std::string> brokers_;
  std::vector<const trade*> asks_;
  client_options options_;
  manners how_;
  planted_fault faults_;
  std::optional<client> client_;
  std::set<std::uint32_t> open_;
};

// Returns handlers that tell the history of each attempt at a call.
[[nodiscard]] conversation_handlers notes_of_attempts(setting& in);

}  // namespace mdp::simulation
