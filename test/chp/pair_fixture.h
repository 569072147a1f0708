#pragma once
// A pair of servers of the map on real sockets, in one context with their clients.

#include "chp/replicated_server.h"
#include "test/chp/shell_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace chp {

using namespace std::chrono_literals;

class pair_test : public shell_test {
protected:
  struct node {
    std::optional<replicated_server> server;
    server_endpoints at;
    std::string state;
    std::vector<server_event> events;
    std::vector<bstar::event> pair_events;
    std::string lost_file;  // the last one

    [[nodiscard]] bool active() const { return server->status().server.active; }
    [[nodiscard]] bool saw(server_event event) const {
      return std::find(events.begin(), events.end(), event) != events.end();
    }
    [[nodiscard]] bool saw(bstar::event event) const {
      return std::find(pair_events.begin(), pair_events.end(), event) != pair_events.end();
    }
    [[nodiscard]] content all() const {
      content map;
      server->map().for_each("", [&](const store::entry& e) {
        map.emplace(e.key(), e.value());
        return true;
      });
      return map;
    }
  };

  static replicated_server_options options_of(bstar::role as) {
    replicated_server_options options;
    options.server.heartbeat = 20ms;
    // The pair is slower, so that a busy machine does not cause an expiry.
    options.pair.pair.as = as;
    options.pair.pair.heartbeat = 50ms;
    options.pair.pair.expiry = 400ms;
    return options;
  }
  void make(node& n, const replicated_server_options& options) {
    n.events.clear();
    n.pair_events.clear();
    n.server.emplace(executor(), options,
                     replicated_server_handlers{
                         .on_event = [&n](server_event e) { n.events.push_back(e); },
                         .on_pair_event = [&n](bstar::event e) { n.pair_events.push_back(e); },
                         .on_lost =
                             [&n](const std::string& path, boost::system::error_code ec) {
                               EXPECT_FALSE(ec) << ec.message();
                               n.lost_file = path;
                             }});
    const auto keep = n.at.snapshots.tcp() != nullptr && n.at.snapshots.tcp()->port != 0;
    n.at = n.server->bind(keep ? n.at.snapshots.to_string() : "tcp://127.0.0.1:*");
    n.state = n.server->bind_state(n.state.empty() ? "tcp://127.0.0.1:*" : n.state).to_string();
  }
  static void connect(node& from, const node& to) {
    from.server->connect(
        {.state = to.state, .snapshots = to.at.snapshots.to_string(), .publisher = {}});
  }
  void start() {
    make(primary, options_of(bstar::role::primary));
    make(backup, options_of(bstar::role::backup));
    connect(primary, backup);
    connect(backup, primary);
    run_until([&] { return primary.server->status().server.backup_in_sync; });
    ASSERT_TRUE(primary.active());
    ASSERT_FALSE(backup.active());
  }

  node primary;
  node backup;
};

}  // namespace chp
