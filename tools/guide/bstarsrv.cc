// bstarsrv: a server of a Binary Star pair, as the Guide's proof of concept has it.

#include "tools/guide/bstar_server.h"

int main(int argc, char** argv) {
  return guide::run_bstar_server({.usage = "bstarsrv", .ready = "ready", .serve_at_once = true},
                                 argc, argv);
}
