// clonesrv5: Clone server, model five: what is set may have a time to live.

#include "tools/guide/clock_log.h"
#include "tools/guide/clone_serving.h"

int main(int argc, char** argv) {
  guide::serving_settings is{.print = guide::log_line, .counts = false, .kvmsg = true};
  guide::command_line line{"Clone server, model five: what is set may have a time to live"};
  line.endpoint("--bind", is.bind, "the first of its three ports");
  return guide::run(line, argc, argv, guide::serve_map, is);
}
