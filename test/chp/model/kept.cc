#include "test/chp/model/kept.h"

#include <algorithm>

namespace chp::model {

const entry* kept::above(number at) const {
  return log.data() + (std::upper_bound(log.begin(), log.end(), at,
                                        [](number n, const entry& e) { return n < e.at; }) -
                       log.begin());
}

const entry* kept::find(number at) const {
  const entry* const e = at == 0 ? nullptr : above(at - 1);
  return e != nullptr && e != log.data() + log.size() && e->at == at ? e : nullptr;
}

std::size_t kept::length() const {
  return static_cast<std::size_t>(log.data() + log.size() - above(first - 1));
}

session* kept::find_session(std::uint32_t id) {
  const auto found =
      std::find_if(sessions.begin(), sessions.end(), [&](const session& s) { return s.id == id; });
  return found == sessions.end() ? nullptr : &*found;
}

void kept::append(const entry& e, const settings& how) {
  log.push_back(e);
  if (e.what == kind::reign) {
    rows.push_back({epoch_of(e.at), e.tag_or_ends, e.at});
  }
  rows.back().last = e.at;
  if (e.session != 0) {
    note_in_session(e, how);
  }
}

void kept::note_in_session(const entry& e, const settings& how) {
  session* s = find_session(e.session);
  if (s == nullptr) {
    if (sessions.size() == how.session_limit) {
      // The session that was silent for longest is forgotten, and that it was is remembered.
      const auto oldest =
          std::min_element(sessions.begin(), sessions.end(),
                           [](const session& a, const session& b) { return a.last < b.last; });
      if (how.fault != planted::forgets_sessions_silently) {
        forgotten = std::max(forgotten, oldest->last);
      }
      sessions.erase(oldest);
    }
    s = &sessions.emplace_back();
    s->id = e.session;
  }
  s->last = e.at;
  s->low = std::max(s->low, e.low);
  std::erase_if(s->outcomes, [&](const outcome& o) { return o.counter < s->low; });
  s->outcomes.push_back({e.counter, e.at, e.what != kind::refusal});
  s->next = std::max(s->next, e.counter + 1);
}

void apply(rows_of_map& map, const entry& e, std::uint64_t now, planted fault) {
  cell& c = map[e.key];
  switch (e.what) {
    case kind::set: c = {e.update, e.at, e.ttl, now + e.ttl}; break;
    case kind::erase: c = {}; break;
    case kind::expiry:
      if (c.at == e.tag_or_ends || fault == planted::expiry_of_any_value) {
        c = {};
      }
      break;
    default: break;
  }
}

void kept::publish(number to, std::uint64_t now, planted fault) {
  const entry* const last = log.data() + log.size();
  for (const entry* e = above(std::max(published, first - 1)); e != last && e->at <= to; ++e) {
    apply(map, *e, now, fault);
  }
  published = std::max(published, std::min(to, end()));
}

rows_of_map kept::map_at_end() const {
  rows_of_map result = map;
  for (const entry* e = above(published); e != log.data() + log.size(); ++e) {
    apply(result, *e, 0);
  }
  return result;
}

void kept::trim(std::size_t limit, number not_above) {
  while (length() > limit) {
    const number oldest = above(first - 1)->at;
    if (oldest > not_above) {
      return;
    }
    first = oldest + 1;
  }
}

void disk::sync(std::size_t transactions) {
  for (; transactions > 0 && !writing_.empty() && !failed; --transactions) {
    content_ = std::move(writing_.front());
    writing_.pop_front();
  }
}

void disk::crash(std::size_t transactions_written) {
  sync(transactions_written);
  writing_.clear();
}

void disk::wipe() {
  content_ = {};
  writing_.clear();
  reserved = 0;
}

}  // namespace chp::model
