#pragma once
// The clients of a simulated pair, each in a process of its own.

#include "bstar/client.h"
#include "test/bstar/simulation/pair_history.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace bstar::simulation {

// Sends one request after the other with the production client.
class client_process {
public:
  // `in` and `to` must outlive the client.
  client_process(zmtp::simulation::world& in, pair_history& to, const std::string& host,
                 std::vector<std::string> servers, const client_options& how);

  [[nodiscard]] zmtp::simulation::simulated_host& machine() noexcept { return process_->machine(); }
  [[nodiscard]] std::size_t answers() const noexcept { return answers_; }

private:
  [[nodiscard]] boost::asio::awaitable<void> call(client& calls, std::chrono::milliseconds pace);

  zmtp::simulation::process* process_;
  pair_history* history_;
  std::size_t answers_ = 0;
};

// Sends requests to one server, whether it answers or not: a client that reaches no other one.
class insistent_client_process {
public:
  insistent_client_process(zmtp::simulation::world& in, const std::string& host,
                           const std::string& endpoint, std::chrono::milliseconds pace);

  [[nodiscard]] zmtp::simulation::simulated_host& machine() noexcept { return process_->machine(); }

private:
  zmtp::simulation::process* process_;
};

}  // namespace bstar::simulation
