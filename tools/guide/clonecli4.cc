// clonecli4: Clone client, model four: follows a subtree.

#include "tools/guide/clone_following.h"

int main(int argc, char** argv) {
  guide::following_settings is;
  is.options.subtree = "/client/";
  guide::command_line line{"Clone client, model four: sets random entries of the subtree /client/"};
  guide::add_flags(line, is);
  line.flag("--python", is.python,
            "use sequence numbers of four bytes, for a server of the Guide in Python");
  return guide::run(line, argc, argv, guide::follow_map, is);
}
