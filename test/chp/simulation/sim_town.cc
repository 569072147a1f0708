#include "test/chp/simulation/sim_town.h"

#include <optional>

namespace zmtp::simulation {

void sim_town::end_process(const simulated_host& on, bool without_power) {
  if (without_power) {
    for (const auto& s : net_.living()) {
      if (&s->host(end_of_stream::connecting) == &on || &s->host(end_of_stream::accepting) == &on) {
        s->cut(std::nullopt, std::nullopt);
      }
    }
  }
  for (const auto& one : sockets_) {
    if (&one->host() == &on && !one->abandoned()) {
      one->abandon();
    }
  }
}

}  // namespace zmtp::simulation
