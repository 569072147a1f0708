#pragma once
// Updates with an id of their own at a passive server, until the log has them. Pure.

#include "chp/log_entry.h"
#include "chp/update_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>

namespace chp {

// The Guide's clients send an update once, to both servers. A passive server that becomes active
// executes those that its log does not have. Above the limit, the oldest is dropped.
class waiting_updates {
public:
  // Peers choose the ids, so `seed` must be random.
  waiting_updates(std::uint64_t seed, std::size_t bytes)
      : by_id_{0, hash{zmtp::keyed_hash{seed}}}, most_bytes_{bytes} {}

  // Adds an update in the form of an entry without a number. Does nothing if the id is known.
  // Returns how many updates were dropped.
  std::size_t add(const log_entry& e) {
    if (by_id_.contains(e.id)) {
      return 0;
    }
    all_.push_back({e.id, {}});
    append_record(all_.back().record, e);
    by_id_.emplace(e.id, std::prev(all_.end()));
    bytes_ += all_.back().bytes();
    std::size_t dropped = 0;
    for (; bytes_ > most_bytes_; ++dropped) {
      remove(all_.front().id);
    }
    return dropped;
  }
  // The log has the update.
  void remove(const update_id& id) {
    if (by_id_.empty()) {
      return;
    }
    if (const auto found = by_id_.find(id); found != by_id_.end()) {
      bytes_ -= found->second->bytes();
      all_.erase(found->second);
      by_id_.erase(found);
    }
  }
  // Removes all. Calls `visit(const log_entry&)` for each, in the order of arrival.
  template <class Visit>
  void take(Visit&& visit) {
    const auto taken = std::exchange(all_, {});
    by_id_.clear();
    bytes_ = 0;
    for (const auto& each : taken) {
      std::string_view record{each.record};
      visit(read_record(record));
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  struct waiting {
    update_id id;
    std::string record;
    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(waiting) + record.size(); }
  };
  struct hash {
    using is_avalanching = void;
    zmtp::keyed_hash key;
    std::size_t operator()(const update_id& id) const noexcept { return key(id.bytes()); }
  };

  std::list<waiting> all_;
  boost::unordered_flat_map<update_id, std::list<waiting>::iterator, hash> by_id_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
};

}  // namespace chp
