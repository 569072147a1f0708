// A production server as the checker sees it.

#include "test/chp/model/checker.h"
#include "test/chp/model/production_server.h"
#include "test/chp/model/production_words.h"

#include <algorithm>
#include <utility>

namespace chp::model {

void production_server::observe() {
  const auto& past = log_->state().past();
  observe_entries();
  shown_.first = number_of(past.log().start()) + 1;
  shown_.commit = number_of(log_->state().commit());
  shown_.both = number_of(log_->state().both());
  shown_.needed = number_of(log_->state().needed());
  shown_.map = rows_of(past.map());
  const number before = std::exchange(shown_.published, number_of(past.published()));
  take_publications(before);
  if (shown_.published > before) {
    around_.check->on_published(*this);
    show_changes(before);
  }
}

void production_server::observe_entries() {
  const auto& past = log_->state().past();
  const lineage rows = lineage_of(past.reigns());
  const bool extends =
      shown_.rows.size() <= rows.size() &&
      std::equal(shown_.rows.begin(), shown_.rows.end(), rows.begin(),
                 [](const row& a, const row& b) { return a.tag == b.tag && a.last <= b.last; }) &&
      sequence_of(shown_.end()) >= past.log().start();
  if (!extends) {
    shown_.rows = rows;
    fill_log(shown_, around_);
    // A server that appends to a copy in the same turn would be seen here.
    if (shown_.end() != number_of(past.end())) {
      throw violation{promise::map_is_the_log, "a copy has entries that were never made"};
    }
    return;
  }
  const auto& log = past.log();
  auto at = log.after(sequence_of(shown_.end()));
  for (log_entry found; log.read(at, found);) {
    entry e = entry_of(found);
    const std::uint64_t tag = place_of(rows, e.at).tag;
    auto& made = around_.made[tag];
    const auto index = static_cast<std::size_t>(e.at & 0xFFFF);
    if (index == made.size()) {
      e.stamp = around_.draw();
      around_.check->on_append(*this, e);
      made.push_back(e);
    }
    shown_.log.push_back(made.at(index));
  }
  shown_.rows = rows;
}

void production_server::show_changes(number from) {
  for (const entry& e : shown_.log) {
    if (e.at <= from || e.at > shown_.published) {
      continue;
    }
    for (std::size_t c = 0; c < client_count; ++c) {
      if (subscribed_[c]) {
        send(c, change{e, !in_sync() || e.at > shown_.both});
      }
    }
  }
}

// The messages have the numbers that were published, or those that were while the peer was active.
void production_server::take_publications(number from) {
  for (const auto m : actions_.publish) {
    const auto said = parse_publication(m, form::kvmsg, {});
    const auto& u = std::get<chp::update>(said.value());
    const auto at = number_of(u.number);
    const bool is_missed = at <= from;
    if (at > shown_.published ||
        (is_missed && !(subscriber_.is_back() && at > subscriber_.left_at()))) {
      throw violation{promise::map_is_the_log, "an entry is published twice or early"};
    }
    if (!is_missed || !planted_here(planted::leaves_out_what_was_missed)) {
      subscriber_.take(u);
    }
  }
}

void production_server::check_subscriber() {
  if (!log_->is_active() || log_->suspended()) {
    return;
  }
  if (!subscriber_.check(shown_, around_.now)) {
    throw violation{promise::subscribers_miss_nothing,
                    "server " + std::to_string(self_) + ": its subscriber has another map"};
  }
}

}  // namespace chp::model
