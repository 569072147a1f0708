#pragma once
// A production broker. Its messages go to the history.

#include "mdp/broker.h"
#include "mdp/options.h"
#include "test/mdp/simulation/process.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mdp::simulation {

class broker_process final : public process {
public:
  // Faults of the program, to plant in a test.
  struct planted_fault {
    bool hides_lost_workers = false;
  };

  // Listens at endpoint_of(name).
  broker_process(setting& in, const std::string& name, broker_options options)
      : process{in, name}, options_{std::move(options)} {}
  ~broker_process() override { kill(false); }

  [[nodiscard]] planted_fault& faults() noexcept { return faults_; }
  // While it runs.
  [[nodiscard]] broker_status status() const { return broker_->status(); }
  // In all its lives.
  [[nodiscard]] std::uint64_t workers_expired() const {
    return workers_expired_ + (begun() ? status().counters.workers_expired : 0);
  }

private:
  void begin() override;
  void end() override;
  [[nodiscard]] std::string worker(std::string_view routing_id) const;
  void on_event(const broker_event& event, std::string_view peer);
  void on_received(std::string_view from, const zmtp::message& said);
  void on_send(std::string_view to, const zmtp::message& said);

  broker_options options_;
  planted_fault faults_;
  std::optional<broker> broker_;
  std::map<zmtp::peer_id, std::string> workers_;  // registered, with their names in the history
  std::uint64_t runs_ = 0;
  std::uint64_t workers_expired_ = 0;  // in former lives
};

}  // namespace mdp::simulation
