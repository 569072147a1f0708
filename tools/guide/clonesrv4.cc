// clonesrv4: Clone server, model four: sends each client the subtree that it requests.

#include "tools/guide/clone_serving.h"

int main(int argc, char** argv) {
  guide::serving_settings is{.words = {.update = "I: publishing update {:5}"}};
  guide::command_line line{
      "Clone server, model four: sends each client the subtree that it requests"};
  line.endpoint(
      "--bind", is.bind,
      "endpoint to bind, for snapshots; the publisher and the collector have the next two ports");
  line.flag("--python", is.python,
            "use sequence numbers of four bytes, for clients of the Guide in Python");
  return guide::run(line, argc, argv, guide::serve_map, is);
}
