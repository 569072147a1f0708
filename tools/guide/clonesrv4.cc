// clonesrv4: Clone server, model four: gives clients the subtree that they ask for.

#include "tools/guide/clone_serving.h"

int main(int argc, char** argv) {
  guide::serving_settings is{.words = {.update = "I: publishing update {:5}"}};
  guide::command_line line{"Clone server, model four: clients have the subtree that they ask for"};
  line.endpoint("--bind", is.bind, "the first of its three ports");
  line.flag("--python", is.python, "with clients of the Guide in Python: sequences of four bytes");
  return guide::run(line, argc, argv, guide::serve_map, is);
}
