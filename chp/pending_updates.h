#pragma once
// What clients have sent to a passive server, until the active one confirms it. Pure.

#include "chp/update_id.h"
#include "zmtp/message.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

namespace chp {

struct pending_update {
  zmtp::message content;  // KVSET
  update_id id;
  std::chrono::steady_clock::time_point received;
  std::uint64_t order = 0;
};

// Bounded by what the messages take of memory. When there is too much the oldest of those go whose clients
// send them again, which are ours; then the oldest of the others.
class pending_updates {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Peers choose the ids: `seed` is random.
  pending_updates(std::uint64_t seed, std::size_t octets)
      : by_id_{0, hash{zmtp::keyed_hash{seed}}}, most_octets_{octets} {}

  // False if one with this id is there already. One without an id is another each time.
  bool add(zmtp::message&& content, const update_id& id, time_point now);
  // The active server has it.
  void confirm(const update_id& id);
  // All of them in the order in which they came; none are left.
  [[nodiscard]] std::vector<pending_update> take();
  // Visits the ids, and forgets those for which `known` is true.
  template <class Known>
  void forget_if(Known&& known) {
    boost::unordered::erase_if(by_id_, [&](const auto& each) {
      const bool goes = known(each.first);
      if (goes) {
        drop(each.second);
      }
      return goes;
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return sessions_.size() + others_.size(); }
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
  // What has had to go.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
  struct hash {
    using is_avalanching = void;
    zmtp::keyed_hash key;
    std::size_t operator()(const update_id& id) const noexcept { return key(id.octets()); }
  };
  using place = std::list<pending_update>::iterator;

  [[nodiscard]] std::list<pending_update>& list_of(const update_id& id) noexcept {
    return id.has_session() ? sessions_ : others_;
  }
  void drop(place at) noexcept;
  void make_room();

  std::list<pending_update> sessions_;
  std::list<pending_update> others_;
  boost::unordered_flat_map<update_id, place, hash> by_id_;
  std::size_t most_octets_;
  std::size_t octets_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace chp
