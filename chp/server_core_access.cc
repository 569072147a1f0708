// The messages of the collector, with the principals of their senders.

#include "chp/server_core.h"

namespace chp {

// The principal is stored from attach to detach, because the socket forgets a peer when the last
// message of the peer is received, and not when it is processed.
void server_core::on_collected(const zmtp::message_view& item) {
  switch (item.what()) {
    case zmtp::routed_message::kind::attached: {
      const auto* const known =
          std::visit([&](const auto& socket) { return socket.peer(item.peer()); }, collector_);
      collector_peers_[item.peer()] = zmtp::known_or_empty(known).user_id;
      return;
    }
    case zmtp::routed_message::kind::detached: collector_peers_.erase(item.peer()); return;
    case zmtp::routed_message::kind::message: break;
  }
  if (has_rules_) {
    state_->on_client_update(item, principal_of(item.peer()));
  } else {
    state_->on_update(item);
  }
}

// A PULL does not announce its peers.
const std::string& server_core::principal_of(zmtp::peer_id peer) const {
  const auto stored = collector_peers_.find(peer);
  return stored != collector_peers_.end()
             ? stored->second
             : zmtp::known_or_empty(
                   std::visit([&](const auto& socket) { return socket.peer(peer); }, collector_))
                   .user_id;
}

}  // namespace chp
