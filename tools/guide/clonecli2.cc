// clonecli2: Clone client, model two: gets the whole map, even if it connects late.

#include "tools/guide/clone_following.h"

int main(int argc, char** argv) {
  guide::following_settings is{.received = "Received", .counts = false, .sets = false};
  is.options.snapshots = chp::snapshot_kind::whole;
  guide::command_line line{"Clone client, model two: gets the whole map, even if it connects late"};
  guide::add_flags(line, is);
  line.flag("--python", is.python,
            "use sequence numbers of four bytes, for a server of the Guide in Python");
  return guide::run(line, argc, argv, guide::follow_map, is);
}
