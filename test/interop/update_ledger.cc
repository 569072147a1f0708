#include "test/interop/update_ledger.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace chp::test {

namespace {

constexpr std::size_t most_faults = 10;

void note(ledger_verdict& to, std::uint64_t& count, const std::string& fault) {
  ++count;
  if (to.faults.size() < most_faults) {
    to.faults.push_back(fault);
  }
}

}  // namespace

std::string update_ledger::begin(std::uint32_t writer, std::string_view key, kind what,
                                 time_point now, std::size_t size) {
  const auto [at, added] =
      by_key_.try_emplace(std::string{key}, static_cast<std::uint32_t>(keys_.size()));
  if (added) {
    keys_.emplace_back(key);
    of_key_.emplace_back();
  }
  if (writer >= writers_.size()) {
    writers_.resize(writer + 1);
  }
  auto& own = writers_[writer];
  own.push_back({.key = at->second, .what = what, .began = now});
  of_key_[at->second].push_back({writer, own.size()});
  auto value = std::to_string(writer) + '.' + std::to_string(own.size()) + '.';
  value.resize(std::max(size, value.size()), '.');
  return value;
}

std::uint64_t update_ledger::begun(std::uint32_t writer) const {
  return writer < writers_.size() ? writers_[writer].size() : 0;
}

void update_ledger::commit(std::uint32_t writer, std::uint64_t number, time_point now) {
  writers_.at(writer).at(number - 1).committed = now;
}

void update_ledger::lose(std::uint32_t writer, std::string_view key, std::string_view value) {
  name n{};
  if (!value.empty()) {
    if (!read(value, n) || n.writer != writer) {
      return;  // it stays committed
    }
  } else {
    const auto& all = of_key_.at(by_key_.at(std::string{key}));
    const auto last = std::find_if(all.rbegin(), all.rend(), [&](const name& one) {
      return one.writer == writer && of(one).what == kind::erase && of(one).committed != not_yet;
    });
    if (last == all.rend()) {
      return;
    }
    n = *last;
  }
  auto& what = writers_[n.writer][n.number - 1];
  what.committed = not_yet;
  what.lost = true;
}

bool update_ledger::read(std::string_view value, name& to) const {
  const auto* const end = value.data() + value.size();
  const auto writer = std::from_chars(value.data(), end, to.writer);
  if (writer.ec != std::errc{} || writer.ptr == end || *writer.ptr != '.') {
    return false;
  }
  const auto number = std::from_chars(writer.ptr + 1, end, to.number);
  return number.ec == std::errc{} && number.ptr != end &&
         std::all_of(number.ptr, end, [](char c) { return c == '.'; }) &&
         to.writer < writers_.size() && to.number >= 1 && to.number <= writers_[to.writer].size();
}

bool update_ledger::knows(std::string_view key, std::string_view value) const {
  name n{};
  return read(value, n) && of(n).what == kind::set && keys_[of(n).key] == key;
}

bool update_ledger::later(const name& a, const name& than) const {
  return a.writer == than.writer ? a.number > than.number : of(a).began > of(than).committed;
}

void update_ledger::check_held(const std::string& key, const std::string& value,
                               ledger_verdict& to) const {
  if (!knows(key, value)) {
    note(to, to.invented, key + " is " + value + ", which no client set");
    return;
  }
  name held{};
  static_cast<void>(read(value, held));
  if (of(held).lost) {
    note(to, to.invented, key + " is " + value + ", which was reported as lost");
    return;
  }
  // The last missing update determines the fault.
  const name* missing = nullptr;
  for (const auto& n : of_key_[of(held).key]) {
    if (of(n).committed != not_yet && later(n, held)) {
      missing = &n;
    }
  }
  if (missing == nullptr) {
    return;
  }
  const auto text = key + " is " + value + ", without " + std::to_string(missing->writer) + '.' +
                    std::to_string(missing->number);
  if (of(*missing).what == kind::erase) {
    note(to, to.resurrected, text + ", which erased it");
  } else {
    note(to, to.lost, text);
  }
}

void update_ledger::check_absent(std::uint32_t key, ledger_verdict& to) const {
  const auto& all = of_key_[key];
  const auto committed_set = [this](const name& n) {
    return of(n).what == kind::set && of(n).committed != not_yet;
  };
  const auto may_be_last = [&](const name& eraser) {
    return of(eraser).what == kind::erase && std::none_of(all.begin(), all.end(), [&](auto& n) {
             return committed_set(n) && later(n, eraser);
           });
  };
  // From the end: there the last one is.
  if (std::any_of(all.begin(), all.end(), committed_set) &&
      std::none_of(all.rbegin(), all.rend(), may_be_last)) {
    note(to, to.lost, keys_[key] + " is gone, and no client erased it");
  }
}

ledger_verdict update_ledger::check(const map& held) const {
  ledger_verdict found;
  for (const auto& [key, value] : held) {
    check_held(key, value, found);
  }
  for (std::uint32_t key = 0; key < keys_.size(); ++key) {
    if (!held.contains(keys_[key])) {
      check_absent(key, found);
    }
  }
  return found;
}

void update_ledger::forget_before(const map& held) {
  for (std::uint32_t key = 0; key < keys_.size(); ++key) {
    auto& all = of_key_[key];
    const auto at = held.find(keys_[key]);
    name last{};
    if (at != held.end() && read(at->second, last)) {
      all = {last};
      continue;
    }
    // The last erasure of the key. A key without an erasure was never there.
    const auto eraser = std::find_if(all.rbegin(), all.rend(),
                                     [this](const name& n) { return of(n).what == kind::erase; });
    all = eraser == all.rend() ? std::vector<name>{} : std::vector<name>{*eraser};
  }
}

void lifetime_ledger::begin(const std::string& key, seconds ttl, time_point now) {
  all_.try_emplace(key, life{.ttl = ttl, .began = now});
}

void lifetime_ledger::commit(const std::string& key, time_point now) {
  all_.at(key).committed = now;
}

void lifetime_ledger::gone(const std::string& key, time_point now) {
  if (const auto at = all_.find(key); at != all_.end()) {
    at->second.first_gone = std::min(at->second.first_gone, now);
    at->second.last_gone = std::max(at->second.last_gone, now);
  }
}

lifetime_ledger::report lifetime_ledger::make_report() const {
  report found;
  for (const auto& [key, l] : all_) {
    ++found.keys;
    const bool committed = l.committed != time_point::max();
    const bool gone = l.first_gone != time_point::max();
    found.early += gone && l.first_gone < l.began + l.ttl ? 1U : 0U;
    found.left += committed && !gone ? 1U : 0U;
    if (committed && gone) {
      found.latest = std::max(found.latest, std::chrono::duration_cast<std::chrono::milliseconds>(
                                                l.last_gone - (l.committed + l.ttl)));
    }
  }
  return found;
}

}  // namespace chp::test
