#pragma once
// A program with a production worker at each of its brokers, which works slowly, and now and then
// does not answer at all.

#include "mdp/options.h"
#include "mdp/worker.h"
#include "test/mdp/simulation/parcel.h"
#include "test/mdp/simulation/process.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mdp::simulation {

// How workers work.
struct labour {
  std::chrono::milliseconds longest{50};
  unsigned in_parts = 0;  // percent of all requests
  unsigned fails = 0;     // … requests fail
  unsigned refuses = 0;   // … or are refused, before they are executed
  unsigned hangs = 0;     // … or never end
};

class worker_process final : public process {
public:
  // Faults of the program, to plant in a test.
  struct planted_fault {
    // May change a piece of a reply.
    std::function<void(piece&)> edit{};
    bool runs_twice = false;
    bool refuses_after_work = false;
    bool omits_a_piece = false;
    bool never_answers = false;
    bool sends_no_heartbeats = false;
    bool never_leaves = false;
  };

  worker_process(setting& in, const std::string& name, std::vector<std::string> brokers,
                 const trade& serves, const worker_options& options, const labour& how)
      : process{in, name}, brokers_{std::move(brokers)}, options_{options}, how_{how} {
    options_.service = serves.name;
  }
  ~worker_process() override { kill(false); }

  [[nodiscard]] planted_fault& faults() noexcept { return faults_; }
  // From now on it answers.
  void be_good() noexcept { how_.fails = how_.refuses = how_.hangs = 0; }
  // Accepts no more requests, answers those in flight, and ends. The process may be killed and
  // started afterwards.
  void leave();

private:
  // The worker at one broker, and the addresses under which it got its calls.
  struct post {
    std::unique_ptr<worker> at;
    std::map<std::uint32_t, std::string> addresses;
  };
  using request_ptr = std::shared_ptr<worker_request>;

  void begin() override;
  void end() override;
  void take(post& at, worker_request request);
  void work(request_ptr to, piece next);
  void say(const request_ptr& to, piece next);

  std::vector<std::string> brokers_;
  worker_options options_;
  labour how_;
  planted_fault faults_;
  std::vector<std::unique_ptr<post>> posts_;
  std::vector<request_ptr> hanging_;
};

}  // namespace mdp::simulation
