#include "tools/zinc/interop/drill_groups.h"

#include <utility>

namespace zinc::interop {

namespace {

using namespace std::chrono_literals;
using std::string;

const expected_line taken_over{"I: failover successful, ready as active", "failover successful"};
const expected_line failing_over{"W: no response from server, failing over", "failing over"};

std::vector<drill> binary_star_drills(const string& node, side backups, side clients) {
  const start primary{node, server, {"-p"}, "primary"};
  const start backup{node, backups, {"-b"}, "backup"};
  const std::vector<step> both{primary,
                               backup,
                               says{"primary", backup_heard},
                               says{"backup", primary_heard},
                               start{"bstarcli", clients},
                               says{"bstarcli", answered}};
  const auto then = [&both](std::vector<step> further) {
    auto steps = both;
    steps.insert(steps.end(), further.begin(), further.end());
    steps.push_back(counts_up{"bstarcli", answered});
    return steps;
  };
  const std::vector<step> failover{sends{"primary"}, says{"bstarcli", failing_over},
                                   says{"backup", taken_over}, says{"bstarcli", answered}};
  auto restart = failover;
  restart.insert(restart.end(), {primary, says{"primary", active_backup_heard},
                                 says{"bstarcli", answered}, silent{"bstarcli", failing_over, 2s}});
  return {{"answers", then({says{"bstarcli", answered}})},
          {"active killed", then(failover)},
          {"old primary restarted", then(std::move(restart))},
          {"passive killed and restarted",
           then({sends{"backup"}, says{"bstarcli", answered}, says{"bstarcli", answered}, backup,
                 says{"backup", primary_heard}, silent{"bstarcli", failing_over, 2s},
                 says{"bstarcli", answered}})}};
}

}  // namespace

std::vector<pair> binary_star_pairs() {
  return {{"bstar", "bstarsrv", "bstarcli", binary_star_drills("bstarsrv", server, client)},
          {"bstar", "bstarsrv2", "bstarcli", binary_star_drills("bstarsrv2", server, client)},
          // A primary of the one and a backup of the other.
          {"bstar", "bstarsrv", "bstarsrv", binary_star_drills("bstarsrv", client, server)},
          {"bstar", "bstarsrv2", "bstarsrv2", binary_star_drills("bstarsrv2", client, server)}};
}

}  // namespace zinc::interop
