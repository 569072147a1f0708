// clonesrv5: Clone server, model five: entries may have a time to live.

#include "tools/guide/clock_log.h"
#include "tools/guide/clone_serving.h"

int main(int argc, char** argv) {
  guide::serving_settings is{.print = guide::log_line, .counts = false, .kvmsg = true};
  guide::command_line line{"Clone server, model five: entries may have a time to live"};
  line.endpoint(
      "--bind", is.bind,
      "endpoint to bind, for snapshots; the publisher and the collector have the next two ports");
  return guide::run(line, argc, argv, guide::serve_map, is);
}
