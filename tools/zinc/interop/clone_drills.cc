#include "tools/zinc/interop/drill_groups.h"

#include <utility>

namespace zinc::interop {

namespace {

using namespace std::chrono_literals;
using std::string;

// The typing error is the Guide's.
const expected_line messages_in{"N messages in", R"([1-9]\d* messages in)"};
const expected_line snapshot_sent{"I: sending shapshot=N",
                                  R"(sending (?:state )?s[hn]apshot ?= ?\d+)"};
const expected_line snapshot_read{"I: received snapshot=N", R"(received.*snapshot ?= ?\d+)"};
const expected_line has_caught_up{"I: received snapshot=N",
                                  R"(received (?:snapshot|update) ?= ?\d+)"};
const expected_line update_sent{"I: publishing update=N", R"(publishing update ?=? *\d+)"};
const expected_line update_read{"I: received update=N", R"(received update ?= ?\d+)"};
const expected_line delete_sent{"I: publishing delete=N", R"(publishing delete ?= ?\d+)"};
const expected_line from_primary{"I: received from tcp://localhost:5556 snapshot=N",
                                 R"(received from .*:5556 snapshot ?= ?\d+)"};
const expected_line from_backup{"I: received from tcp://localhost:5566 snapshot=N",
                                R"(received from .*:5566 snapshot ?= ?\d+)"};

}  // namespace

std::vector<pair> clone_pairs() {
  const auto served = [](const string& number, std::vector<drill> drills) {
    return pair{"clone", "clonesrv" + number, "clonecli" + number, std::move(drills)};
  };
  const auto start_both = [](const string& number) {
    return std::vector<step>{start{"clonesrv" + number, server},
                             start{"clonecli" + number, client}};
  };
  const auto then = [](std::vector<step> steps, std::vector<step> further) {
    steps.insert(steps.end(), further.begin(), further.end());
    return steps;
  };
  std::vector<pair> all;
  // The first client says nothing before it is interrupted.
  all.push_back(served("1", {{"updates arrive",
                              {start{"clonesrv1", server},
                               until{start{"clonecli1", client}, messages_in, recovery, 2s}}}}));
  all.push_back(served(
      "2", {{"the snapshot arrives", then(start_both("2"), {says{"clonecli2", snapshot_read},
                                                            says{"clonesrv2", snapshot_sent}})}}));
  for (const string number : {"3", "4", "5"}) {
    const auto srv = "clonesrv" + number;
    const auto cli = "clonecli" + number;
    const start late{cli, client, {}, "late"};
    all.push_back(served(
        number, {{"updates arrive, and a late client has them",
                  then(start_both(number),
                       {says{cli, snapshot_read}, says{srv, update_sent}, says{cli, update_read},
                        late, says{"late", snapshot_read}, says{"late", update_read}})}}));
  }
  // plain: off (the name of a drill)
  all.back().drills.push_back({"what has a time to live goes",
                               then(start_both("5"), {says{"clonesrv5", delete_sent, 60s}})});
  // plain: on
  const auto group_of_two = [](side backups, side clients) {
    const start primary{"clonesrv6", server, {"-p"}, "primary"};
    const start backup{"clonesrv6", backups, {"-b"}, "backup"};
    const std::vector<step> both{primary,
                                 backup,
                                 says{"primary", backup_heard},
                                 says{"backup", primary_heard},
                                 start{"clonecli6", clients},
                                 says{"clonecli6", from_primary},
                                 says{"primary", update_sent}};
    auto killed = both;
    // A passive server of the Guide never stops waiting for the snapshot of a peer that ends.
    killed.insert(killed.end(),
                  {says{"backup", has_caught_up}, sends{"primary"},
                   says{"clonecli6", from_backup, recovery}, says{"backup", update_sent}});
    auto restarted = killed;
    restarted.insert(restarted.end(),
                     {primary, says{"primary", active_backup_heard}, says{"backup", update_sent}});
    return std::vector<drill>{{"updates arrive", both},
                              {"active killed", std::move(killed)},
                              {"old primary restarted", std::move(restarted)}};
  };
  all.push_back(served("6", group_of_two(server, client)));
  all.push_back({"clone", "clonesrv6", "clonesrv6", group_of_two(client, server)});
  return all;
}

}  // namespace zinc::interop
