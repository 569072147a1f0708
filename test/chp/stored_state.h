#pragma once
// A store in memory, which carries out the writes of a replica and gives back what it has.

#include "chp/log_entry.h"
#include "chp/replica.h"
#include "chp/state_write.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp::test {

class stored_state {
public:
  // Pieces of one transaction wait for its last one.
  void write(const state_write& w) {
    if (w.more) {
      open_.push_back(w);
      return;
    }
    for (const auto& each : std::exchange(open_, {})) {
      carry_out(each);
    }
    carry_out(w);
    numbers = w.numbers;
    while (!log_.empty() && log_.front().first <= numbers.start) {
      log_.pop_front();
    }
  }
  // The process ends before the last piece.
  void drop_pieces() { open_.clear(); }

  [[nodiscard]] lineage reigns() const {
    auto found = lineage::parse(lineage_).value();
    if (!found.empty()) {
      found.extend(numbers.end);
    }
    return found;
  }
  [[nodiscard]] bool empty() const { return lineage_.empty(); }
  // The map after all entries of the log.
  [[nodiscard]] std::map<std::string, std::string, std::less<>> latest() const {
    std::map<std::string, log_entry, std::less<>> rows;
    const auto take = [&](std::string_view record) {
      const auto e = read_record(record);
      if (e.kind == entry_kind::set) {
        rows[std::string{e.key}] = e;
      } else if (const auto row = rows.find(e.key); row != rows.end()) {
        const bool ends = e.kind == entry_kind::erasure ||
                          (e.kind == entry_kind::expiry && e.argument == row->second.number);
        if (ends) {
          rows.erase(row);
        }
      }
    };
    for (const auto& [key, record] : map_) {
      take(record);
    }
    for (const auto& [number, record] : log_) {
      if (number > numbers.published) {
        take(record);
      }
    }
    std::map<std::string, std::string, std::less<>> all;
    for (const auto& [key, e] : rows) {
      all.emplace(key, e.value);
    }
    return all;
  }
  // A history with this content. `fault` is why there is none.
  [[nodiscard]] std::unique_ptr<history> load(std::unique_ptr<history> into,
                                              history::time_point now, errc& fault) const {
    std::string pieces;
    const auto add = [&](errc found) { fault = fault == errc{} ? found : fault; };
    fault = {};
    for (const auto& [key, row] : map_) {
      add(into->add_map(row, now));
    }
    for (const auto& [session, row] : sessions_) {
      add(into->add_sessions(row));
    }
    add(into->add_ids(ids_));
    into->begin_log(numbers.start, numbers.forgotten);
    for (const auto& [number, record] : log_) {
      add(into->add_entries(record));
    }
    auto reigns = lineage::parse(lineage_);
    if (!reigns) {
      add(reigns.error());
      return nullptr;
    }
    if (!reigns->empty()) {
      reigns->extend(numbers.end);
    }
    add(into->finish(*std::move(reigns), numbers.published));
    return fault == errc{} ? std::move(into) : nullptr;
  }

  state_numbers numbers;

private:
  void carry_out(const state_write& w) {
    if (w.replaces) {
      map_.clear();
      sessions_.clear();
      log_.clear();
      ids_.clear();
      lineage_.clear();
    }
    for (std::string_view rest{w.entries}; !rest.empty();) {
      const auto before = rest;
      const auto e = read_record(rest);
      log_.emplace_back(e.number, before.substr(0, before.size() - rest.size()));
    }
    for (std::string_view rest{w.map}; !rest.empty();) {
      const auto before = rest;
      const auto e = read_record(rest);
      if (e.kind == entry_kind::set) {
        map_[std::string{e.key}] = before.substr(0, before.size() - rest.size());
      } else {
        map_.erase(std::string{e.key});
      }
    }
    for (std::string_view rest{w.sessions}; !rest.empty();) {
      const auto row = sessions::read_row(rest);
      sessions_[row.session] = row.bytes;
    }
    for (const auto session : w.forgotten_sessions) {
      sessions_.erase(session);
    }
    ids_ += w.ids;
    if (w.lineage) {
      lineage_ = *w.lineage;
    }
  }

  std::vector<state_write> open_;
  std::deque<std::pair<sequence, std::string>> log_;
  std::map<std::string, std::string> map_;
  std::map<std::uint64_t, std::string> sessions_;
  std::string ids_;
  std::string lineage_;
};

}  // namespace chp::test
