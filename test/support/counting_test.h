#pragma once
// Base of tests that count the system calls of each handler that the executor runs: at most one turn of one
// socket.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/system_calls.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>

namespace zmtp::test {

class counting_test : public pattern_test {
protected:
  // Calls of all sockets of the program.
  struct tally {
    std::size_t handlers = 0;
    std::size_t writes = 0;
    std::size_t reads = 0;
    std::size_t most_writes = 0;  // per descriptor and handler
    std::size_t most_reads = 0;   // per descriptor and handler
    std::size_t busiest = 0;      // writes of one handler, all descriptors
  };

  // Counts the calls since the last time.
  void add_up(tally& to) const {
    const auto calls = counted_calls();
    const auto before = to.writes;
    for (std::size_t fd = 0; fd < calls.size(); ++fd) {
      if (!foreign_.contains(static_cast<int>(fd))) {
        to.writes += calls[fd].writes;
        to.reads += calls[fd].reads;
        to.most_writes = std::max(to.most_writes, calls[fd].writes);
        to.most_reads = std::max(to.most_reads, calls[fd].reads);
      }
    }
    to.busiest = std::max(to.busiest, to.writes - before);
    reset_counted_calls();
  }
  // Runs handler by handler. Nothing that was called before counts.
  template <class Done>
  tally run_counting(Done&& done) {
    tally all;
    reset_counted_calls();
    context().restart();
    for (const auto end = std::chrono::steady_clock::now() + timeout; !done();) {
      if (context().run_one_until(end) == 0) {
        ADD_FAILURE() << "time has run out, or there is nothing left to run";
        break;
      }
      ++all.handlers;
      add_up(all);
    }
    return all;
  }
  // Counts the calls of the handlers that are ready, and of the handlers that they make ready.
  tally run_ready_counting() {
    tally all;
    reset_counted_calls();
    context().restart();
    for (int quiet = 0; quiet < 50; ++quiet) {
      while (context().poll_one() != 0) {
        ++all.handlers;
        add_up(all);
        quiet = 0;
      }
      context().restart();
    }
    return all;
  }
  // Excludes the bytes of this peer from the counts.
  void except(raw_peer& peer) { foreign_.insert(peer.socket().native_handle()); }

private:
  std::set<int> foreign_;
};

}  // namespace zmtp::test
