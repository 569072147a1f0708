#pragma once
// Updates of clients at a passive server, until the active server confirms them. Pure.

#include "chp/divided_set.h"
#include "chp/update_id.h"
#include "zmtp/message.h"
#include "zmtp/routing/keyed_hash.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

namespace chp {

// An update of a client.
struct pending_update {
  zmtp::message content;  // KVSET
  update_id id;
  std::chrono::steady_clock::time_point received;
  std::uint64_t order = 0;
};

// Bounded by the memory of the messages. Above the limit, the oldest updates of Zinc's clients are
// dropped first, because these clients resend them. Then the oldest updates of other clients are
// dropped.
class pending_updates {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Peers choose the ids, so `seed` must be random.
  pending_updates(std::uint64_t seed, std::size_t bytes)
      : by_id_{hash{zmtp::keyed_hash{seed}}}, most_bytes_{bytes} {}

  // Returns false if the id is known. An update without an id is always new.
  bool add(zmtp::message&& content, const update_id& id, time_point now);
  // The active server has the update.
  void confirm(const update_id& id);
  // Returns all updates in the order of their arrival, and removes them.
  [[nodiscard]] std::vector<pending_update> take();
  // The map was replaced, and may contain updates of this set. forget_known() checks them.
  void begin_forgetting() noexcept {
    unseen_sessions_ = sessions_.begin();
    unseen_others_ = others_.begin();
    seen_to_ = next_order_;
  }
  // Checks at most `most` updates, and removes those whose id is `known`. Returns true when all
  // were checked.
  template <class Known>
  bool forget_known(std::size_t most, Known&& known) {
    return forget_known(sessions_, unseen_sessions_, most, known) &&
           forget_known(others_, unseen_others_, most, known);
  }

  [[nodiscard]] std::size_t size() const noexcept { return sessions_.size() + others_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Number of updates dropped at the limit.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
  struct hash {
    zmtp::keyed_hash key;
    std::size_t operator()(const update_id& id) const noexcept { return key(id.bytes()); }
  };
  using update_list = std::list<pending_update>;
  struct slot {
    update_list::iterator of;
  };
  struct id_of_slot {
    const update_id& operator()(const slot& s) const noexcept { return s.of->id; }
  };

  [[nodiscard]] update_list& list_of(const update_id& id) noexcept {
    return id.has_session() ? sessions_ : others_;
  }
  void drop(update_list::iterator at) noexcept;
  void make_room();
  template <class Known>
  bool forget_known(update_list& in, update_list::iterator& unseen, std::size_t& most,
                    Known&& known) {
    for (; unseen != in.end() && unseen->order < seen_to_; --most) {
      if (most == 0) {
        return false;
      }
      const auto at = unseen++;
      if (!at->id.empty() && known(at->id)) {
        drop(at);
      }
    }
    return true;
  }

  update_list sessions_;
  update_list others_;
  // The next updates that forget_known() checks. It checks those below this order.
  update_list::iterator unseen_sessions_ = sessions_.end();
  update_list::iterator unseen_others_ = others_.end();
  std::uint64_t seen_to_ = 0;
  divided_set<slot, id_of_slot, hash> by_id_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace chp
