// clonecli5: Clone client, model five: sets entries with a time to live.

#include "tools/guide/clone_following.h"

int main(int argc, char** argv) {
  guide::following_settings is{.ttl_below = 30, .kvmsg = true};
  is.options.subtree = "/client/";
  guide::command_line line{
      "Clone client, model five: sets random entries of /client/ with a time to live"};
  guide::add_flags(line, is);
  return guide::run(line, argc, argv, guide::follow_map, is);
}
