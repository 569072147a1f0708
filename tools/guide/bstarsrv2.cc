// bstarsrv2: a server of a Binary Star pair, as the Guide's reactor has it.

#include "tools/guide/bstar_server.h"

int main(int argc, char** argv) {
  return guide::run_bstar_server({.usage = "bstarsrvs", .ready = "ready as", .log = true}, argc,
                                 argv);
}
