#include "test/zmtp/simulation/fault_makers.h"

#include "test/simulation/seeds.h"
#include "test/zmtp/simulation/parcel.h"
#include "test/zmtp/simulation/production_scenario.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace zmtp::simulation {

namespace {

constexpr std::size_t position_of(socket_type hub, socket_type spokes) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i].hub == hub && patterns[i].spokes == spokes) {
      return i;
    }
  }
  return patterns.size();
}

}  // namespace

bool noticed(violation what, socket_type hub, socket_type spokes, const planted_fault& fault,
             bool no_troubles) {
  return noticed(what, [&](std::uint64_t seed) {
    return run_production(
        seed, {.pattern = position_of(hub, spokes), .no_troubles = no_troubles, .fault = fault});
  });
}

planted_fault editing(socket_type whose, std::function<void(std::vector<routed_message>&)> edit) {
  return {.received = [whose, edit = std::move(edit)](const participant& p,
                                                      std::vector<routed_message>& got) {
    if (p.type == whose) {
      edit(got);
    }
  }};
}

planted_fault editing_each(socket_type whose, std::function<bool(routed_message&)> edit) {
  return editing(whose, [edit = std::move(edit)](std::vector<routed_message>& got) {
    std::vector<routed_message> left;
    for (auto& m : got) {
      if (m.what != routed_message::kind::message || edit(m)) {
        left.push_back(std::move(m));
      }
    }
    got = std::move(left);
  });
}

planted_fault adjusted(planted_fault fault, std::function<void(participant&)> adjust) {
  fault.adjust = std::move(adjust);
  return fault;
}

bool is_message(const routed_message& m) { return m.what == routed_message::kind::message; }

bool is_parcel(const routed_message& m) {
  return is_message(m) && unwrap(m.content).found == unwrapped::state::whole;
}

bool is_notice(const routed_message& m, char begins) {
  return is_message(m) && !is_parcel(m) && m.content.front().starts_with(begins);
}

void double_last(std::vector<routed_message>& got) {
  if (!got.empty() && is_parcel(got.back())) {
    got.push_back(got.back());
  }
}

void drop_last(std::vector<routed_message>& got) {
  if (got.size() > 1 && is_parcel(got.back())) {
    got.pop_back();
  }
}

}  // namespace zmtp::simulation
