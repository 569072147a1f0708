#include "test/chp/simulation/history.h"

#include <algorithm>

namespace chp::simulation {

bool history::begin(std::uint64_t epoch, sequence base) {
  return epochs_.try_emplace(epoch, era{.base = base, .entries = {}}).second;
}

const history::era* history::era_of(sequence at) const {
  const auto found = epochs_.find(epoch_of(at));
  return found == epochs_.end() ? nullptr : &found->second;
}

std::uint64_t history::began_in(sequence at) const {
  std::uint64_t first = 0;
  for (const auto* one = era_of(at); one != nullptr; one = era_of(at)) {
    first = epoch_of(at);
    at = one->base;
  }
  return first;
}

bool history::contains(sequence at, sequence number) const {
  for (const auto* one = era_of(at); one != nullptr; one = era_of(at)) {
    if (epoch_of(at) == epoch_of(number)) {
      return number <= at;
    }
    at = one->base;
  }
  return false;
}

bool history::is_overwritten(std::string_view key, sequence number) const {
  const auto& all = era_of(number)->entries;
  return std::any_of(all.begin(), all.end(),
                     [&](const entry& e) { return e.number > number && e.key == key; });
}

history::contents history::at(sequence at) const {
  contents found;
  for_each(at, [&](const entry& e) { found.insert_or_assign(e.key, &e); });
  return found;
}

const history::entry* history::last_of(std::string_view key, sequence at) const {
  const entry* last = nullptr;
  for_each(at, [&](const entry& e) { last = e.key == key ? &e : last; });
  return last;
}

}  // namespace chp::simulation
