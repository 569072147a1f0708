#pragma once
// A client of 7/MDP without extensions, with a DEALER, as the Guide's mdcliapi2: it sends its number of
// requests before it reads, and does not retry.

#include "test/mdp/simulation/broker_process.h"
#include "test/mdp/simulation/process.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

namespace mdp::simulation {

class flood_process final : public process {
public:
  flood_process(town& in, std::string name, const broker_process& broker, const trade& asks,
                std::size_t calls)
      : process{in, std::move(name)}, broker_{&broker}, asks_{&asks}, calls_{calls} {}

  // Calls that are not answered, if nothing happened to the one connection that there was.
  [[nodiscard]] std::size_t unanswered() const;
  [[nodiscard]] const broker_process& broker() const noexcept { return *broker_; }
  void leave();

private:
  void begin() override;
  void end() override;
  void flood();
  [[nodiscard]] bool receive();
  void on_message(const zmtp::message& m);

  const broker_process* broker_;
  const trade* asks_;
  std::size_t calls_;
  sim_socket* socket_ = nullptr;
  std::set<std::uint32_t> open_;
};

}  // namespace mdp::simulation
