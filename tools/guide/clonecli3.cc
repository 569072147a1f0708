// clonecli3: Clone client, model three: follows the map, and sets a random entry every second.

#include "tools/guide/clone_following.h"

int main(int argc, char** argv) {
  guide::following_settings is;
  is.options.snapshots = chp::snapshot_kind::whole;
  guide::command_line line{"Clone client, model three: sets random entries of the map"};
  guide::add_flags(line, is);
  line.flag("--python", is.python,
            "use sequence numbers of four bytes, for a server of the Guide in Python");
  line.flag("--kvmsg", is.kvmsg, "use messages of five frames, for clonesrv3_py3 of the Guide");
  return guide::run(line, argc, argv, guide::follow_map, is);
}
