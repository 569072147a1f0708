#pragma once
// The links of a socket, and operations on all of them.

#include "zmtp/peer.h"
#include "zmtp/routing/socket_state.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace zmtp {

class peer_link;

// The state knows attached peers by peer_id. This table has the link of each, and the links whose
// handshake is not complete.
class links {
public:
  // The state must outlive the table.
  explicit links(socket_state& state) noexcept : state_{state} {}

  void add(const std::shared_ptr<peer_link>& to_peer);
  void remove(const peer_link& to_peer) noexcept;
  [[nodiscard]] bool empty() const noexcept { return links_.empty(); }

  // Call when the handshake is complete. From then on, this is the link of the peer.
  void attach(peer_id id, peer_link& to_peer);
  void detach(peer_id id) noexcept;
  // Returns nullptr if the peer is not attached.
  [[nodiscard]] peer_link* of(peer_id id) const noexcept {
    return id.slot < by_slot_.size() && state_.find(id) != nullptr ? by_slot_[id.slot] : nullptr;
  }
  // The status of all attached peers.
  [[nodiscard]] std::vector<peer_status> peers() const;

  // Changes the number of inproc links.
  void count_in_process(int change) noexcept { in_process_ += static_cast<std::size_t>(change); }
  [[nodiscard]] bool any_in_process() const noexcept { return in_process_ != 0; }

  // Writes to at most this many peers with queued messages, in turn. Returns false if more is left
  // for another turn.
  bool flush(std::size_t most);
  // Writes to one peer. The peer remains in the list of peers to write to.
  bool flush(peer_id to);
  // Call in the middle of a batch. Does the part of a flush that does not cost more now.
  void hand_over();
  // Sends changes of the local subscriptions.
  void tell_changes() {
    if (!state_.unsent_subscriptions().empty()) {
      tell(state_.unsent_subscriptions());
    }
  }
  // Resumes peers whose receive queue has space again. Returns whether there were any.
  [[nodiscard]] bool resume_drained() {
    return !state_.resumable().empty() && resume(state_.resumable());
  }
  // Closes the connections of subscribers that were too slow. Returns whether there were any.
  [[nodiscard]] bool end_too_slow() { return !state_.too_slow().empty() && end(state_.too_slow()); }
  // Call after a change of the socket's options.
  void options_changed();

  // Call when the socket is closed. Each link writes the rest.
  void finish();
  // Drops all connections.
  void abandon() noexcept;

private:
  void tell(subscription_changes& unsent_subscriptions);
  bool resume(std::vector<peer_id>& resumable);
  bool end(std::vector<peer_id>& too_slow);

  socket_state& state_;
  // By number of arrival, so that each run of a simulation visits them in the same order.
  std::map<std::uint64_t, std::shared_ptr<peer_link>> links_;
  std::uint64_t arrivals_ = 0;
  std::vector<peer_link*> by_slot_;
  std::size_t in_process_ = 0;
};

}  // namespace zmtp
