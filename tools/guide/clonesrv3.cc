// clonesrv3: Clone server, model three: what a client sets is told to all.

#include "tools/guide/clone_serving.h"

int main(int argc, char** argv) {
  guide::serving_settings is{.words = {.update = "I: publishing update {:5}"}};
  guide::command_line line{"Clone server, model three: what a client sets is told to all"};
  line.endpoint("--bind", is.bind, "the first of its three ports");
  line.flag("--python", is.python, "with clients of the Guide in Python: sequences of four bytes");
  line.flag("--kvmsg", is.kvmsg, "with clonecli3_py3 of the Guide: messages of five frames");
  return guide::run(line, argc, argv, guide::serve_map, is);
}
