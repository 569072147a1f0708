#pragma once
// Base of tests that wait for the events of sockets.

#include "test/support/pattern_test.h"
#include "zmtp/socket/monitor.h"

namespace zmtp::test {

class monitored_test : public pattern_test {
protected:
  // Returns the next event of this kind, passing over others.
  [[nodiscard]] monitor_event next(monitor& of, monitor_event::kind what) {
    monitor_event event;
    run_until([&] {
      while (of.try_receive(event)) {
        if (event.what == what) {
          return true;
        }
      }
      return false;
    });
    return event;
  }
};

}  // namespace zmtp::test
