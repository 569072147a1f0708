#include "test/chp/simulation/disk_watch.h"

#include "chp/log_entry.h"

#include <utility>

namespace chp::simulation {

void disk_watch::on_write(const state_write& change) {
  pieces_.push_back(change);
  if (change.more) {
    return;
  }
  for (const auto& each : std::exchange(pieces_, {})) {
    if (each.replaces) {
      made_.clear();
    }
    look(each.map);
    look(each.entries);
  }
}

// A row of the map has the number of its entry.
void disk_watch::look(std::string_view records) {
  while (!records.empty()) {
    const auto e = read_record(records);
    if (e.kind != entry_kind::set) {
      continue;
    }
    history_->on_disk(who_, e.value);
    if (may_be_made_twice(e.value)) {
      continue;
    }
    const auto [first, is_new] = made_.emplace(e.value, e.number);
    if (!is_new && first->second != e.number) {
      history_->report(violation::made_twice,
                       host_ + " has " + std::string{e.key} + '=' + std::string{e.value} + " as " +
                           std::to_string(first->second) + " and " + std::to_string(e.number));
    }
  }
}

}  // namespace chp::simulation
