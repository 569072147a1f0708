#include "chp/old_updates.h"

#include "chp/network_order.h"

#include <algorithm>
#include <iterator>

namespace chp {

namespace {

constexpr std::size_t head_size = 8 + 8 + 1;  // session, counter, number of ranges
constexpr std::size_t gap_size = 8 + 8;
constexpr std::size_t refusal_size = 8 + 8 + 1;
constexpr std::uint64_t max_listed = 1'000;  // refusals of one range

// Returns the size of a head and its ranges, or 0 if there are fewer bytes.
std::size_t size_of_part(std::string_view rest, std::size_t range_size) noexcept {
  if (rest.size() < head_size) {
    return 0;
  }
  const auto size = head_size + static_cast<unsigned char>(rest[head_size - 1]) * range_size;
  return rest.size() < size ? 0 : size;
}

}  // namespace

void old_session::add(std::uint64_t first, std::uint64_t last) {
  auto next = done.upper_bound(first);
  if (next != done.begin() && std::prev(next)->second + 1 >= first) {
    --next;
    first = next->first;
  }
  while (next != done.end() && next->first <= last + 1) {
    last = std::max(last, next->second);
    next = done.erase(next);
  }
  done.emplace(first, last);
}

bool old_session::has(std::uint64_t counter) const {
  const auto next = done.upper_bound(counter);
  return next != done.begin() && std::prev(next)->second >= counter;
}

void old_updates::add(const update_id& id) {
  if (id.has_session()) {
    sessions_[id.session()].add(id.counter(), id.counter());
  } else if (!id.empty()) {
    others_.push_back(id);
  }
}

bool old_updates::add_ids(std::string_view row) {
  for (; row.size() >= update_id::size; row.remove_prefix(update_id::size)) {
    add(update_id::of_frame(row.substr(0, update_id::size)));
  }
  return row.empty();
}

bool old_updates::add_refusal(std::string_view row) {
  const auto id = update_id::of_frame(row.substr(0, update_id::size));
  if (row.size() <= update_id::size || !id.has_session()) {
    return false;
  }
  auto& session = sessions_[id.session()];
  if (!session.has(id.counter())) {
    session.add(id.counter(), id.counter());
    session.refused.emplace(id.counter(), static_cast<std::uint8_t>(row[update_id::size]));
  }
  return true;
}

bool old_updates::add_piece(std::string_view row) {
  while (!row.empty()) {
    const auto mark = row.front();
    row.remove_prefix(1);
    const auto size = mark == 'S'   ? add_session(row)
                      : mark == 'R' ? add_refusals(row)
                      : mark == 'O' ? add_other(row)
                                    : 0;
    if (size == 0) {
      return false;
    }
    row.remove_prefix(size);
  }
  return true;
}

// [session, 8][highest counter, 8][gaps, 1], and for each gap [first, 8][last, 8]
std::size_t old_updates::add_session(std::string_view rest) {
  const auto size = size_of_part(rest, gap_size);
  if (size == 0) {
    return 0;
  }
  const auto id = load_u64(rest, 0);
  const auto counter = load_u64(rest, 8);
  if (update_id::make_session(id) != id || counter == 0 || counter > update_id::max_counter) {
    return 0;
  }
  auto& session = sessions_[id];
  std::uint64_t from = 1;
  for (auto at = head_size; at != size; at += gap_size) {
    const auto first = load_u64(rest, at);
    const auto last = load_u64(rest, at + 8);
    if (first < from || last < first || last >= counter) {
      return 0;
    }
    if (from < first) {
      session.add(from, first - 1);
    }
    from = last + 1;
  }
  session.add(from, counter);
  return size;
}

// [session, 8][refusals forgotten up to, 8][refusals, 1], and for each [first, 8][last, 8][why, 1]
std::size_t old_updates::add_refusals(std::string_view rest) {
  const auto size = size_of_part(rest, refusal_size);
  const auto found = size == 0 ? sessions_.end() : sessions_.find(load_u64(rest, 0));
  if (found == sessions_.end()) {
    return 0;
  }
  auto& session = found->second;
  session.unsure = std::max(session.unsure, load_u64(rest, 8));
  for (auto at = head_size; at != size; at += refusal_size) {
    const auto first = load_u64(rest, at);
    const auto last = load_u64(rest, at + 8);
    if (first == 0 || last < first || last > update_id::max_counter) {
      return 0;
    }
    if (last - first >= max_listed) {
      session.unsure = std::max(session.unsure, last);
      continue;
    }
    for (auto counter = first; counter <= last; ++counter) {
      session.refused.emplace(counter, static_cast<std::uint8_t>(rest[at + 16]));
    }
  }
  return size;
}

std::size_t old_updates::add_other(std::string_view rest) {
  if (rest.size() < update_id::size) {
    return 0;
  }
  add(update_id::of_frame(rest.substr(0, update_id::size)));
  return update_id::size;
}

}  // namespace chp
