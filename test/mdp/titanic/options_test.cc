// Options of Titanic out of their ranges are rejected with their names.

#include "mdp/titanic/options.h"

#include "mdp/error.h"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mdp::titanic {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

TEST(titanic_options, out_of_range_are_named) {
  const std::vector<std::pair<std::function<void(server_options&)>, std::string>> table{
      {[](auto&) {}, ""},
      {[](auto& o) { o.in_flight = 0; }, "titanic: in_flight must be at least 1"},
      {[](auto& o) { o.heartbeat_interval = milliseconds::max(); },
       "titanic: heartbeat_interval must be 1 ms to 24 h"},
      {[](auto& o) { o.reconnect_delay = -1ms; },
       "titanic: reconnect_delay must be 0 ms to 8760 h"},
      {[](auto& o) { o.core.lookup_timeout = 0ms; },
       "titanic: core.lookup_timeout must be 1 ms to 8760 h"},
      {[](auto& o) { o.core.presence = milliseconds::max(); },
       "titanic: core.presence must be 1 ms to 8760 h"},
      {[](auto& o) { o.core.least_backoff = 0ms; },
       "titanic: core.least_backoff must be 1 ms to 8760 h"},
      {[](auto& o) { o.core.most_backoff = milliseconds::max(); },
       "titanic: core.most_backoff must be 1 ms to 8760 h"},
      {[](auto& o) { o.core.keep = std::chrono::seconds::max(); },
       "titanic: core.keep must be 1 s to 878400 h"},
      {[](auto& o) { o.core.keep = 24h * 36'600; }, ""},
      {[](auto& o) { o.core.keep.reset(); }, ""},
      {[](auto& o) { o.core.service.concurrency = 0; },
       "titanic, core.service: concurrency must be at least 1"},
      {[](auto& o) { o.core.services["echo"].deadline = milliseconds::max(); },
       "titanic, service echo: deadline must be 1 ms to 8760 h"},
      {[](auto& o) { o.core.services["echo"].attempts = 0; },
       "titanic, service echo: attempts must be at least 1"},
  };
  for (const auto& [change, fault] : table) {
    server_options options;
    change(options);
    std::string found;
    try {
      check(options);
    } catch (const boost::system::system_error& e) {
      EXPECT_EQ(e.code(), mdp::errc::bad_option);
      const std::string text = e.what();
      found = text.substr(0, text.find(": " + e.code().message()));
    }
    EXPECT_EQ(found, fault);
  }
}

}  // namespace
}  // namespace mdp::titanic
