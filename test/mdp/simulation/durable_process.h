#pragma once
// A program that submits requests to Titanic, and fetches their replies despite its own crashes.

#include "mdp/options.h"
#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/sim_client.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace mdp::simulation {

class durable_process final : public process {
public:
  struct options {
    client_options client{};
    std::chrono::milliseconds pace{200};
    std::size_t requests = 20;
    std::size_t bytes = 1'500;  // largest body
    bool closes = true;
  };

  // `broker` is Titanic's.
  durable_process(town& in, std::string name, std::string broker, std::vector<const trade*> asks,
                  const options& how)
      : process{in, std::move(name)},
        broker_{std::move(broker)},
        asks_{std::move(asks)},
        options_{how} {}

  // No new requests; those that it has it brings to their ends.
  void be_quiet() noexcept { options_.requests = 0; }

private:
  // The record of a client. All numbers are those of calls.
  struct kept {
    std::string id;
    bool replied = false;
    bool closed = false;
    bool asking = false;  // in this life
  };

  void begin() override;
  void end() override;
  void wake_later();
  void wake();
  void request();
  void ask_for_reply(std::uint32_t call);
  void close(std::uint32_t call);
  void ask_nonsense();
  template <class Body>
  void ask(std::string_view service, zmtp::message&& body, const request_options& how,
           Body&& on_end);

  std::string broker_;
  std::vector<const trade*> asks_;
  options options_;
  std::unique_ptr<sim_client> life_;
  std::map<std::uint32_t, kept> kept_;
  std::vector<std::uint32_t> asked_;  // without an answer yet
};

}  // namespace mdp::simulation
