#include "test/simulation/cut_run.h"

#include "test/simulation/company.h"

#include <memory>

namespace zmtp::simulation {

cut_result run_cut(const cut_place& place, const cut_options& options) {
  company both{options.seed, nullptr};
  both.net().options().most_delay = both.net().options().least_delay;
  std::shared_ptr<virtual_connection> first;
  both.net().on_stream([&](virtual_connection& s) {
    if (first) {
      return;
    }
    first = s.shared_from_this();
    if (place.bytes == 0) {
      return;
    }
    switch (place.what) {
      case cut_place::kind::taken: s.cut_when_taken(place.from, place.bytes); return;
      case cut_place::kind::arrived: s.cut_when_arrived(place.from, place.bytes); return;
    }
  });

  const habits how{.messages = options.messages,
                   .burst = options.messages,
                   .pace = std::chrono::microseconds{200},
                   .sizes = options.sizes};
  casting hub{.type = place.between.hub, .peers = place.between.spokes, .how = how};
  casting spoke{.type = place.between.spokes, .peers = place.between.hub, .how = how};
  for (auto* part : {&hub, &spoke}) {
    part->options.relaxed = part->options.correlate = options.correlate;
    part->options.no_drop = true;
    part->topic_changes = options.topic_changes;
    part->options.reconnect.initial = std::chrono::milliseconds{10};
  }
  // A publisher sends no message before it has a subscriber.
  for (auto* part : {&hub, &spoke}) {
    if (publishes(part->type)) {
      part->how.pace = std::chrono::milliseconds{5};
      // Most of its messages do not match a subscription.
      part->how.messages *= 2;
    }
  }
  hub.options.routing_id = "party 1";
  spoke.options.routing_id = "party 2";
  auto& connects = both.add(hub);
  auto& binds = both.add(spoke);
  both.introduce(connects, binds);
  if (place.bytes == 0) {
    both.books().expect_all();
  }
  for (const auto& p : both.parties()) {
    p->start();
  }
  both.come_to_rest("after the cut");
  cut_result result{
      .findings = {}, .was_cut = first->is_cut(), .bytes = first->taken(place.from), .parcels = 0};
  first->spare();
  both.check_rest("after the cut", true);
  if (both.books().findings().empty()) {
    both.say_more();
  }
  both.take_leave();
  result.findings = both.books().findings();
  result.parcels = both.books().parcels_received();
  return result;
}

}  // namespace zmtp::simulation
