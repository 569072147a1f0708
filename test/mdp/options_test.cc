// Options out of their ranges are rejected with their names.

#include "mdp/options.h"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace mdp {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Returns the text before the description of the error code. Empty: the options are valid.
template <class Options>
std::string fault_of(const Options& options, errc expected = errc::bad_option) {
  try {
    check(options);
  } catch (const boost::system::system_error& e) {
    EXPECT_EQ(e.code(), expected);
    const std::string text = e.what();
    return text.substr(0, text.find(": " + e.code().message()));
  }
  return {};
}

template <class Options>
struct row {
  std::function<void(Options&)> change;
  std::string fault;
};

template <class Options>
void expect_rows(const Options& valid, const std::vector<row<Options>>& table) {
  EXPECT_EQ(fault_of(valid), "");
  for (const auto& [change, fault] : table) {
    auto options = valid;
    change(options);
    EXPECT_EQ(fault_of(options), fault);
  }
}

TEST(broker_options, out_of_range_are_named) {
  expect_rows<broker_options>(
      {},
      {{[](auto& o) { o.heartbeat = 0ms; }, "broker: heartbeat must be 1 ms to 24 h"},
       {[](auto& o) { o.heartbeat = milliseconds::max(); },
        "broker: heartbeat must be 1 ms to 24 h"},
       {[](auto& o) { o.heartbeat = 24h; }, ""},
       {[](auto& o) { o.liveness = 0; }, "broker: liveness must be 1 to 1000"},
       {[](auto& o) { o.liveness = 1'001; }, "broker: liveness must be 1 to 1000"},
       {[](auto& o) { o.liveness = 1'000; }, ""},
       {[](auto& o) { o.worker_in_flight = 0; }, "broker: worker_in_flight must be at least 1"},
       {[](auto& o) { o.client_limit.requests = 0; },
        "broker: client_limit.requests must be at least 1"},
       {[](auto& o) { o.client_limit.bytes = 0; }, "broker: client_limit.bytes must be at least 1"},
       {[](auto& o) { o.outcome_limit.time = milliseconds::max(); },
        "broker: outcome_limit.time must be 0 ms to 8760 h"},
       {[](auto& o) { o.services.attempts = 0; }, "broker, services: attempts must be at least 1"},
       {[](auto& o) { o.services.unserved_timeout = milliseconds::max(); },
        "broker, services: unserved_timeout must be 0 ms to 8760 h"},
       {[](auto& o) { o.services.unserved_timeout = 0ms; }, ""},
       {[](auto& o) { o.services.queue_timeout = -1ms; },
        "broker, services: queue_timeout must be 0 ms to 8760 h"},
       {[](auto& o) { o.services.limit.bytes = 0; },
        "broker, services: limit.bytes must be at least 1"},
       {[](auto& o) { o.services.limit.requests = 0; },
        "broker, services: limit.requests must be at least 1"},
       {[](auto& o) {
          o.rules = {{"echo", {.busy_expiry = 0ms}}};
        },
        "broker, rule echo: busy_expiry must be 1 ms to 8760 h"},
       {[](auto& o) {
          o.rules = {{"echo", {.busy_timeout = milliseconds::max()}}};
        },
        "broker, rule echo: busy_timeout must be 1 ms to 8760 h"}});
}

TEST(client_options, out_of_range_are_named) {
  expect_rows<client_options>(
      {},
      {{[](auto& o) { o.timeout = 0ms; }, "client: timeout must be 1 ms to 8760 h"},
       {[](auto& o) { o.timeout = milliseconds::max(); }, "client: timeout must be 1 ms to 8760 h"},
       {[](auto& o) { o.attempts = 0; }, "client: attempts must be at least 1"},
       {[](auto& o) { o.backoff = -1ms; }, "client: backoff must be 0 ms to 8760 h"},
       {[](auto& o) { o.backoff = 0ms; }, ""},
       {[](auto& o) { o.longest_backoff = milliseconds::max(); },
        "client: longest_backoff must be 0 ms to 8760 h"},
       {[](auto& o) { o.idle_time = milliseconds::max(); },
        "client: idle_time must be 0 ms to 8760 h"}});
}

TEST(worker_options, out_of_range_are_named) {
  expect_rows<worker_options>(
      {.service = "echo"},
      {{[](auto& o) { o.heartbeat = milliseconds::max(); },
        "worker echo: heartbeat must be 1 ms to 24 h"},
       {[](auto& o) { o.liveness = 0; }, "worker echo: liveness must be 1 to 1000"},
       {[](auto& o) { o.reconnect_delay = milliseconds::max(); },
        "worker echo: reconnect_delay must be 0 ms to 8760 h"},
       {[](auto& o) { o.in_flight = 0; }, "worker echo: in_flight must be at least 1"}});
}

TEST(worker_options, need_a_service) {
  EXPECT_EQ(fault_of(worker_options{}, errc::no_service), "worker ");
  EXPECT_EQ(fault_of(worker_options{.service = "mmi.service"}, errc::service_reserved),
            "worker mmi.service");
  const std::string name(255, 's');
  EXPECT_EQ(fault_of(worker_options{.service = name + "s"}, errc::service_too_long),
            "worker " + name + "s");
  EXPECT_EQ(fault_of(worker_options{.service = name}), "");
}

}  // namespace
}  // namespace mdp
