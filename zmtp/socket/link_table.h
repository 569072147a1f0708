#pragma once
// The links of a socket, and what goes to them all: what is to be written, told and read again.

#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/peer_status.h"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace zmtp {

class peer_link;

// The state names peers, who are attached; here is the link of each, and those whose handshake is not over.
class link_table {
public:
  // The state must outlive this.
  explicit link_table(socket_state& state) noexcept : state_{state} {}

  void add(const std::shared_ptr<peer_link>& to_peer);
  void remove(const peer_link& to_peer) noexcept;
  [[nodiscard]] bool empty() const noexcept { return links_.empty(); }

  // Its handshake is over, and from here on it is the link of this peer.
  void attach(peer_id id, peer_link& to_peer);
  void detach(peer_id id) noexcept;
  // None if the peer is not attached.
  [[nodiscard]] peer_link* of(peer_id id) const noexcept {
    return id.slot < by_slot_.size() && state_.find(id) != nullptr ? by_slot_[id.slot] : nullptr;
  }
  // The attached ones.
  [[nodiscard]] std::vector<peer_status> peers() const;

  // Within the process: this many more, or fewer.
  void count_in_process(int change) noexcept { in_process_ += static_cast<std::size_t>(change); }
  [[nodiscard]] bool any_in_process() const noexcept { return in_process_ != 0; }

  // Writes to so many of those that something was sent to, in turn. False if there is more for another turn.
  bool flush(std::size_t most);
  // The same for one. Its place among them stays: there it has nothing left, or what it got since.
  bool flush(peer_id to);
  // In the middle of a batch: what costs nothing more now than with the next flush is done.
  void hand_over();
  // What has changed since of our subscriptions.
  void tell_changes() {
    if (!state_.untold().empty()) {
      tell(state_.untold());
    }
  }
  // Those whose receive queue has room again. Whether there were any.
  [[nodiscard]] bool resume_drained() {
    return !state_.drained().empty() && resume(state_.drained());
  }
  // Closes those that did not keep up with what is published. Whether there were any.
  [[nodiscard]] bool end_overrun() { return !state_.overrun().empty() && end(state_.overrun()); }
  // The socket has other options now.
  void options_changed();

  // The socket is closed: each writes the rest.
  void finish();
  // Drops all connections.
  void abandon() noexcept;

private:
  void tell(subscription_changes& untold);
  bool resume(std::vector<peer_id>& drained);
  bool end(std::vector<peer_id>& overrun);

  socket_state& state_;
  std::unordered_map<const peer_link*, std::shared_ptr<peer_link>> links_;
  std::vector<peer_link*> by_slot_;
  std::size_t in_process_ = 0;
};

}  // namespace zmtp
