// clonecli3: Clone client, model three: has the map, and sets a random entry every second.

#include "tools/guide/clone_following.h"

int main(int argc, char** argv) {
  guide::following_settings is;
  is.options.snapshots = chp::snapshot_kind::whole;
  guide::command_line line{"Clone client, model three: sets random entries of the map"};
  guide::add_flags(line, is);
  line.flag("--python", is.python, "with a server of the Guide in Python: sequences of four bytes");
  line.flag("--kvmsg", is.kvmsg, "with clonesrv3_py3 of the Guide: messages of five frames");
  return guide::run(line, argc, argv, guide::follow_map, is);
}
