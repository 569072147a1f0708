#include "chp/history.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace chp {

namespace {

// Entries follow each other within an epoch, and each higher epoch begins with its reign.
bool follows(const log_entry& e, sequence end) noexcept {
  return e.kind == entry_kind::reign ? epoch_of(e.number) > epoch_of(end)
                                     : e.number == end + 1 && epoch_of(e.number) == epoch_of(end);
}

}  // namespace

void history::begin_reign(std::uint64_t epoch, std::uint64_t tag) {
  if (epoch == 0) {
    reigns_.begin_reign(0, tag, end());
    return;
  }
  append({.number = make_sequence(epoch, 0), .kind = entry_kind::reign, .argument = tag});
}

errc history::check_next(const log_entry& e) const noexcept {
  const bool has_reign = e.kind == entry_kind::reign || !reigns_.empty();
  return has_reign && follows(e, end()) ? errc{} : errc::entry_out_of_order;
}

void history::append(const log_entry& e) {
  log_.append(e);
  if (e.kind == entry_kind::reign) {
    reigns_.begin_reign(epoch_of(e.number), e.argument, e.number);
  } else {
    reigns_.extend(e.number);
  }
  if (e.id.has_session()) {
    clients_.note(e);
  } else {
    ids_.insert(e.id, e.number);
  }
}

bool history::apply(const log_entry& e, time_point now) {
  switch (e.kind) {
    case entry_kind::set: {
      const auto deadline =
          e.ttl.count() == 0 ? std::optional<time_point>{} : std::optional{now + e.ttl};
      (void)map_.apply({e.key, e.value, e.id, deadline, e.ttl}, e.number);
      return true;
    }
    case entry_kind::erasure: (void)map_.erase(e.key, e.number); return true;
    case entry_kind::expiry: {
      const auto* const found = map_.find(e.key);
      if (found != nullptr && found->number() == e.argument) {
        return map_.erase(e.key, e.number);
      }
      break;
    }
    case entry_kind::reign:
    case entry_kind::refusal: break;
  }
  map_.pass(e.number);
  return false;
}

bool history::is_current(const log_entry& e) const noexcept {
  switch (e.kind) {
    case entry_kind::set: {
      const auto* const found = map_.find(e.key);
      return found != nullptr && found->number() == e.number;
    }
    case entry_kind::erasure:
    case entry_kind::expiry: return map_.find(e.key) == nullptr;
    case entry_kind::reign:
    case entry_kind::refusal: break;
  }
  return false;
}

errc history::add_map(std::string_view records, time_point now) {
  while (!records.empty()) {
    const auto e = parse_record(records);
    if (!e) {
      return e.error();
    }
    if (e->kind != entry_kind::set || map_.find(e->key) != nullptr) {
      return errc::malformed_entry;
    }
    (void)apply(*e, now);
  }
  return {};
}

errc history::add_sessions(std::string_view rows) {
  while (!rows.empty()) {
    if (const auto fault = clients_.insert_row(rows, last_of_sessions_); fault != errc{}) {
      return fault;
    }
  }
  return {};
}

void history::begin_log(sequence start, sequence forgotten) {
  log_.restart(start);
  clients_.begin_replay();
  clients_.raise_forgotten(forgotten);
  published_at_ = log_.after(start);
}

errc history::add_entries(std::string_view records) {
  while (!records.empty()) {
    const auto e = parse_record(records);
    if (!e) {
      return e.error();
    }
    if (!follows(*e, end())) {
      return errc::entry_out_of_order;
    }
    log_.append(*e);
    clients_.note(*e);
    if (!e->id.has_session()) {
      ids_.insert(e->id, e->number);
    }
  }
  return {};
}

errc history::finish(lineage reigns, sequence published) {
  if (reigns.end() != end()) {
    return errc::malformed_lineage;
  }
  if (published < log_.start() || published > end() || map_.number() > published) {
    return errc::entry_out_of_order;
  }
  if (last_of_sessions_ > end()) {
    return errc::malformed_session;
  }
  clients_.end_replay();
  reigns_ = std::move(reigns);
  published_ = published;
  published_at_ = log_.after(published);
  map_.pass(published);
  return {};
}

}  // namespace chp
