#include "bench/support/stop_request.h"

#include "bench/support/arguments.h"

#include <signal.h>

namespace bench {
namespace {

volatile sig_atomic_t requested = 0;

extern "C" void request_stop(int) { requested = 1; }

}  // namespace

void accept_stop_requests() {
  struct sigaction action {};
  action.sa_handler = request_stop;
  for (const int signal_number : {SIGTERM, SIGINT}) {
    if (::sigaction(signal_number, &action, nullptr) != 0) {
      fail_errno("cannot handle signals");
    }
  }
}

bool stop_requested() { return requested != 0; }

}  // namespace bench
