#pragma once
// A pair on real sockets, in one context.

#include "bstar/node.h"
#include "test/support/network_test.h"
#include "test/support/scratch_folder.h"

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bstar {

class node_test : public zmtp::test::network_test {
protected:
  // A node, its endpoint, and the events that its handlers received.
  struct side {
    role as;
    std::optional<node> it{};
    std::string at{};
    std::vector<epoch> activated{};
    std::vector<passive_reason> passivated{};
    std::vector<event> events{};
    std::vector<boost::system::error_code> errors{};
  };

  // So short that a test does not wait, and long enough for a busy machine.
  static pair_options quick(role as) {
    return {.as = as, .heartbeat = std::chrono::milliseconds{50}};
  }

  [[nodiscard]] std::string epoch_path(role as) const {
    return folder_.path(as == role::primary ? "primary" : "backup");
  }
  [[nodiscard]] std::string epoch_in_file(role as) const {
    std::ifstream file{epoch_path(as)};
    std::string line;
    std::getline(file, line);
    return line;
  }

  void start(side& s, const node_options& options) {
    s.it.emplace(
        executor(), options,
        node_handlers{.on_active = [&s](epoch e) { s.activated.push_back(e); },
                      .on_passive = [&s](passive_reason why) { s.passivated.push_back(why); },
                      .on_event = [&s](event what) { s.events.push_back(what); },
                      .on_error = [&s](boost::system::error_code ec) { s.errors.push_back(ec); }});
    s.at = s.it->bind(s.at.empty() ? "tcp://127.0.0.1:*" : s.at).to_string();
  }
  void start(side& s) { start(s, {.pair = quick(s.as), .epoch_file = epoch_path(s.as)}); }
  void connect(side& a, side& b) {
    a.it->connect(b.at);
    b.it->connect(a.at);
  }
  // Started, connected, the primary active and the backup passive.
  void meet() {
    start(primary_);
    start(backup_);
    connect(primary_, backup_);
    await(primary_, state::active);
    await(backup_, state::passive);
  }
  void await(const side& s, state what) {
    run_until([&] { return s.it->status().now == what; });
  }
  // Asks again and again.
  void await_vote(side& s) {
    run_until([&] { return s.it->vote(); });
  }
  // Ends the node like a killed process.
  static void kill(side& s) { s.it.reset(); }

  zmtp::test::scratch_folder folder_;
  side primary_{.as = role::primary};
  side backup_{.as = role::backup};
};

}  // namespace bstar
