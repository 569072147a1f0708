#pragma once
// Parties on one network, their books, and what must hold of them whenever nothing happens any more.

#include "test/simulation/fault_schedule.h"
#include "test/simulation/ledger.h"
#include "test/simulation/pattern.h"
#include "zmtp/simulation/simulated_network.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class company {
public:
  company(std::uint64_t seed, const trace::printer& print);

  [[nodiscard]] simulated_network& net() noexcept { return net_; }
  [[nodiscard]] ledger& books() noexcept { return books_; }
  [[nodiscard]] const std::vector<std::unique_ptr<party>>& parties() const noexcept {
    return parties_;
  }
  [[nodiscard]] const std::vector<fault_schedule::endpoint>& endpoints() const noexcept {
    return endpoints_;
  }

  // Numbers them from 1.
  party& add(casting part);
  void introduce(party& connects, party& binds, event_queue::duration bound_after = {});

  // Runs events until none is left. A finding names the phase `when`.
  void come_to_rest(const char* when);
  // Checks that every party is connected and has sent and received all its messages. `excused`: a
  // party that waits for an answer may wait without limit.
  void check_rest(const char* when, bool excused);
  // Lets every party send more messages, of which none may be lost.
  void say_more();
  // Disconnects every party and closes the ledger. Messages that are undelivered then stay
  // undelivered.
  void take_leave();

private:
  void publish_all();
  void subscribe_to_more();
  void speak_to_publishers();
  template <class As, class Body>
  void for_each_that(bool (*is)(socket_type), Body&& body);

  simulated_network net_;
  ledger books_;
  std::vector<std::unique_ptr<party>> parties_;
  std::vector<fault_schedule::endpoint> endpoints_;
};

}  // namespace zmtp::simulation
