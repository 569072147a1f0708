#pragma once
// A program that submits requests to Titanic, and fetches their replies despite its own crashes.

#include "mdp/client.h"
#include "mdp/options.h"
#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/titanic_history.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
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
  durable_process(setting& in, const std::string& name, std::string broker, titanic_history& stored,
                  std::vector<const trade*> asks, const options& how)
      : process{in, name},
        broker_{std::move(broker)},
        stored_{&stored},
        asks_{std::move(asks)},
        options_{how} {}
  ~durable_process() override { kill(false); }

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

  std::string broker_;
  titanic_history* stored_;
  std::vector<const trade*> asks_;
  options options_;
  std::optional<client> client_;
  std::map<std::uint32_t, kept> kept_;
  std::vector<std::uint32_t> asked_;  // without an answer yet
};

}  // namespace mdp::simulation
