// clonecli2: Clone client, model two: has the whole map, however late it comes.

#include "tools/guide/clone_following.h"

int main(int argc, char** argv) {
  guide::following_settings is{.received = "Received", .counts = false, .sets = false};
  is.options.snapshots = chp::snapshot_kind::whole;
  guide::command_line line{"Clone client, model two: has the whole map, however late it comes"};
  guide::add_flags(line, is);
  line.flag("--python", is.python, "with a server of the Guide in Python: sequences of four bytes");
  return guide::run(line, argc, argv, guide::follow_map, is);
}
