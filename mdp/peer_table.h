#pragma once
// The broker's peers and their roles: a dense table by slot, checked by generation.

#include "mdp/broker_records.h"
#include "zmtp/peer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mdp {

enum class standing : std::uint8_t {
  absent,  // the slot is empty
  fresh,   // has sent nothing yet
  a_client,
  a_worker,
  expired,   // an expired worker; its next command gets DISCONNECT
  silenced,  // disconnected by command; the broker ignores it and sends nothing
  closed,    // its connection must be closed
};

struct peer {
  zmtp::peer_id id;
  standing is = standing::absent;
  std::size_t capacity = 1;       // as a worker
  std::string user_id;            // the principal; empty: anonymous
  std::string routing_id;         // until it is a client, whose record then has it
  bool reads_errors = false;      // as a client
  bool reads_principals = false;  // as a worker
  client_record* as_client = nullptr;
  worker_record* as_worker = nullptr;
};

class peer_table {
public:
  // The reference is valid until the next attach.
  peer& attach(zmtp::peer_id id) {
    if (id.slot >= peers_.size()) {
      peers_.resize(std::size_t{id.slot} + 1);
    }
    auto& at = peers_[id.slot];
    at = {};
    at.id = id;
    at.is = standing::fresh;
    ++size_;
    return at;
  }
  // Returns the peer of this generation, or null.
  [[nodiscard]] peer* find(zmtp::peer_id id) noexcept {
    auto* at = in_slot(id);
    return at != nullptr && at->id == id ? at : nullptr;
  }
  // Returns the peer of any generation in this slot, or null.
  [[nodiscard]] peer* in_slot(zmtp::peer_id id) noexcept {
    return id.slot < peers_.size() && peers_[id.slot].is != standing::absent ? &peers_[id.slot]
                                                                             : nullptr;
  }
  void detach(peer& at) noexcept {
    at = {};
    --size_;
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& each : peers_) {
      if (each.is != standing::absent) {
        visit(each);
      }
    }
  }
  // Visits peers in the order of their slots, from the slot `first` on, while `visit` returns true.
  template <class Visit>
  void for_each_while(std::size_t first, Visit&& visit) const {
    for (auto slot = first; slot < peers_.size(); ++slot) {
      if (peers_[slot].is != standing::absent && !visit(peers_[slot])) {
        return;
      }
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  std::vector<peer> peers_;
  std::size_t size_ = 0;
};

}  // namespace mdp
