#pragma once
// mdp::client in virtual time: many requests in flight, each on a connection of its own while it is.

#include "mdp/client_state.h"
#include "mdp/options.h"
#include "test/mdp/simulation/sim_conversation.h"
#include "zmtp/pattern/server_list.h"

#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mdp::simulation {

class sim_client {
public:
  struct listener {
    std::function<void()> on_sent{};  // an attempt
    std::function<void(zmtp::message)> on_part{};
    // Once, unless there is a fault.
    std::function<void(boost::system::error_code, zmtp::message)> on_end;
  };
  // Faults to put in, to see that they are noticed.
  struct planted_fault {
    // May change the actions before they are carried out.
    std::function<void(client_actions&)> edit{};
    bool never_leaves_its_broker = false;
  };

  sim_client(town& in, simulated_host& host, std::vector<std::string> brokers,
             const client_options& options, planted_fault faults);
  ~sim_client();

  // Errors: those of client_state::ask.
  [[nodiscard]] boost::system::error_code ask(std::string_view service, zmtp::message&& body,
                                              const request_options& how, listener notified);
  [[nodiscard]] std::size_t in_flight() const;
  // No connection is left.
  void stop();

private:
  class conversation;

  town* town_;
  simulated_host* host_;
  std::shared_ptr<zmtp::server_list> brokers_;
  client_options options_;
  planted_fault faults_;
  std::vector<std::unique_ptr<conversation>> conversations_;
};

}  // namespace mdp::simulation
