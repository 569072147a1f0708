#pragma once
// A broker, workers and clients on real sockets, in one context.

#include "mdp/broker.h"
#include "mdp/client.h"
#include "mdp/worker.h"
#include "test/support/network_test.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mdp {

// So short that a test does not wait, and long enough for a busy machine.
inline broker_options impatient_broker() {
  broker_options options;
  options.heartbeat = std::chrono::milliseconds{50};
  return options;
}

inline worker_options impatient_worker(version protocol, std::string service = "echo") {
  worker_options options;
  options.service = std::move(service);
  options.protocol = protocol;
  options.heartbeat = std::chrono::milliseconds{50};
  options.reconnect_delay = std::chrono::milliseconds{5};
  return options;
}

inline client_options patient_client(version protocol) {
  client_options options;
  options.protocol = protocol;
  options.timeout = std::chrono::seconds{15};
  return options;
}

inline std::string name_of(version protocol) { return protocol == version::v01 ? "v01" : "v02"; }

class shell_test : public zmtp::test::network_test {
protected:
  void start_broker(const broker_options& options = impatient_broker()) {
    broker_.emplace(executor(), options);
    at_ = broker_->bind(at_.empty() ? "tcp://127.0.0.1:*" : at_).to_string();
  }
  // Returns a worker that echoes each request immediately.
  std::unique_ptr<worker> echo_worker(version protocol) {
    return std::make_unique<worker>(executor(), at_, impatient_worker(protocol),
                                    [](worker_request request) {
                                      auto body = std::move(request.body());
                                      EXPECT_FALSE(request.reply(std::move(body)));
                                    });
  }
  void await_workers(std::size_t count) {
    run_until([&] { return broker_->status().workers == count; });
  }

  std::string at_;
  std::optional<broker> broker_;
};

// Both sides of each request in one version, and in one version each.
struct versions {
  version workers;
  version clients;
};

class shell_versions_test : public shell_test, public testing::WithParamInterface<versions> {
protected:
  static version workers() { return GetParam().workers; }
  static version clients() { return GetParam().clients; }
};

inline auto all_versions() {
  return testing::Values(versions{version::v01, version::v01}, versions{version::v01, version::v02},
                         versions{version::v02, version::v01},
                         versions{version::v02, version::v02});
}

inline std::string name_of_versions(const testing::TestParamInfo<versions>& tested) {
  return "workers_" + name_of(tested.param.workers) + "_clients_" + name_of(tested.param.clients);
}

}  // namespace mdp
