#pragma once
// mdp::worker in virtual time.

#include "mdp/options.h"
#include "mdp/worker_state.h"
#include "test/mdp/simulation/sim_conversation.h"

#include <boost/system/error_code.hpp>

#include <functional>
#include <string>

namespace mdp::simulation {

class sim_worker final : private sim_conversation::listener {
public:
  // A request, which may be answered at once.
  using handler = std::function<void(std::uint64_t id, zmtp::message body)>;

  sim_worker(town& in, simulated_host& host, std::string broker, const worker_options& options,
             handler on_request);

  boost::system::error_code reply(std::uint64_t id, zmtp::message body, bool final = true);
  void give_back(std::uint64_t id, nack_reason reason);
  // Accepts no more requests, answers those in flight, and stops.
  void drain();
  void stop();
  [[nodiscard]] bool stopped() const noexcept { return socket_.stopped(); }
  [[nodiscard]] std::uint32_t socket_number() const noexcept { return socket_.socket_number(); }

private:
  void on_attached(time_point now) override;
  void on_message(zmtp::message&& m, time_point now) override;
  void on_detached() override;
  void on_deadline(time_point now) override;
  [[nodiscard]] std::optional<time_point> next_deadline() const override {
    return state_.next_deadline();
  }
  void carry_out();

  town* town_;
  worker_state state_;
  handler on_request_;
  worker_actions actions_;
  sim_conversation socket_;
};

}  // namespace mdp::simulation
