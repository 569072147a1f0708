#pragma once
// A client of 7/MDP without extensions, with a DEALER, as the Guide's mdcliapi2: it sends its number
// of requests before it reads, and does not retry.

#include "test/mdp/simulation/broker_process.h"
#include "test/mdp/simulation/process.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"
#include "zmtp/socket/request_sockets.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mdp::simulation {

class flood_process final : public process {
public:
  flood_process(setting& in, const std::string& name, const broker_process& broker,
                const trade& asks, std::size_t calls)
      : process{in, name}, broker_{&broker}, asks_{&asks}, calls_{calls} {}
  ~flood_process() override { kill(false); }

  // Calls that are not answered, if nothing happened to the one connection that there was.
  [[nodiscard]] std::size_t unanswered() const { return connected_once_ ? open_.size() : 0; }
  [[nodiscard]] const broker_process& broker() const noexcept { return *broker_; }
  void leave();

private:
  void begin() override;
  void end() override { leave(); }
  void flood();
  void receive();
  void take(const zmtp::routed_message& item);
  void on_message(const zmtp::message& m);

  const broker_process* broker_;
  const trade* asks_;
  std::size_t calls_;
  std::optional<zmtp::dealer_socket> socket_;
  zmtp::message_batch batch_;
  std::set<std::uint32_t> open_;
  bool connected_once_ = false;  // and is connected
};

}  // namespace mdp::simulation
