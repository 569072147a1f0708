#pragma once
// mdp::broker in virtual time. Reports the broker's messages to the ledger.

#include "mdp/broker_state.h"
#include "mdp/options.h"
#include "test/mdp/simulation/process.h"
#include "test/simulation/sim_alarm.h"
#include "zmtp/message.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace mdp::simulation {

class broker_process final : public process {
public:
  // Faults to put in, to see that they are noticed.
  struct planted_fault {
    // May change the actions before they are carried out.
    std::function<void(broker_actions&)> edit{};
    // … or its counters.
    std::function<void(broker_status&)> edit_status{};
    bool forgets_detach = false;
    bool forgets_to_resume = false;
    bool judges_before_it_hears = false;  // after a pause
  };

  // Listens at its name.
  broker_process(town& in, std::string name, broker_options options)
      : process{in, std::move(name)}, options_{std::move(options)} {}

  [[nodiscard]] planted_fault& faults() noexcept { return faults_; }
  // While it runs.
  [[nodiscard]] broker_status status() const { return life_->state.status(); }
  [[nodiscard]] std::size_t attached() const { return life_->router->state().attached(); }
  // Checks that the counters are consistent, and that no operation is pending.
  void check_rest();
  // In all its lives.
  [[nodiscard]] std::uint64_t workers_expired() const {
    return workers_expired_ + (running() ? status().counters.workers_expired : 0);
  }

private:
  struct life {
    life(broker_process& of, std::uint64_t instance);

    broker_state state;
    broker_actions actions;
    sim_socket* router;
    sim_alarm alarm;
    // The call that a worker was given last under this address, by the worker's stream and the address.
    std::map<std::pair<std::uint64_t, std::string>, std::uint32_t> given;
  };

  void begin() override;
  void end() override;
  [[nodiscard]] bool receive();
  void on_time();
  void carry_out();
  void tell_books_of(zmtp::peer_id from, const zmtp::message& said);
  void tell_books_of_sends();
  [[nodiscard]] std::uint64_t stream_of(zmtp::peer_id peer) const;

  broker_options options_;
  planted_fault faults_;
  std::optional<life> life_;
  std::uint64_t workers_expired_ = 0;  // in former lives
};

}  // namespace mdp::simulation
