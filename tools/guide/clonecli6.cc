// clonecli6: Clone client, model six: follows the active one of two servers.

#include "tools/guide/clock_log.h"
#include "tools/guide/clone_following.h"

int main(int argc, char** argv) {
  guide::following_settings is{.servers = {"tcp://localhost:5556", "tcp://localhost:5566"},
                               .options = {.subtree = "/client/", .always_send_ttl = true},
                               .print = guide::log_line,
                               .names_servers = true,
                               .counts = false,
                               .sets_at_once = true,
                               .ttl_below = 30,
                               .kvmsg = true};
  std::chrono::milliseconds ttl{5'000};
  guide::command_line line{
      "Clone client, model six: sets random entries of /client/ on the active one of two servers"};
  guide::add_flags(line, is);
  line.milliseconds("--heartbeat", is.options.heartbeat, "time between heartbeats of the servers");
  line.milliseconds("--server-ttl", ttl,
                    "time without a message before the client leaves a server");
  return guide::run(line, argc, argv, [&] {
    is.options.server_ttl = ttl;
    return guide::follow_map(is);
  });
}
