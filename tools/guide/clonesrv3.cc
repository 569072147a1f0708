// clonesrv3: Clone server, model three: publishes the updates of its clients.

#include "tools/guide/clone_serving.h"

int main(int argc, char** argv) {
  guide::serving_settings is{.words = {.update = "I: publishing update {:5}"}};
  guide::command_line line{"Clone server, model three: publishes the updates of its clients"};
  line.endpoint(
      "--bind", is.bind,
      "endpoint to bind, for snapshots; the publisher and the collector have the next two ports");
  line.flag("--python", is.python,
            "use sequence numbers of four bytes, for clients of the Guide in Python");
  line.flag("--kvmsg", is.kvmsg, "use messages of five frames, for clonecli3_py3 of the Guide");
  return guide::run(line, argc, argv, guide::serve_map, is);
}
