// The collector of a server with rules.

#include "chp/server_core.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>

namespace chp {

namespace asio = boost::asio;

namespace {

const auto token = asio::as_tuple(asio::use_awaitable);

// Updates between two checks for space.
constexpr std::size_t updates_at_once = 512;

}  // namespace

asio::awaitable<void> server_core::collect_from(std::shared_ptr<server_core> self) {
  std::vector<zmtp::routed_message> batch;
  for (;;) {
    zmtp::error_code ec;
    if (auto* const sub = std::get_if<zmtp::sub_socket>(&self->collector_)) {
      ec = std::get<0>(co_await sub->async_receive(batch, token));
    } else {
      auto& pull = std::get<zmtp::pull_socket>(self->collector_);
      ec = std::get<0>(co_await pull.async_receive_from(batch, token));
    }
    if (ec) {
      co_return;
    }
    for (std::size_t next = 0; next != batch.size();) {
      if (!co_await until_room(self)) {
        co_return;
      }
      // Updates the node's state, because the process may have been paused.
      if (self->hooks_.vote && self->state_->active()) {
        (void)self->hooks_.vote();
      }
      const auto now = self->runtime_.now();
      for (std::size_t left = updates_at_once; left != 0 && next != batch.size(); --left, ++next) {
        self->on_collector_peer(batch[next]);
      }
      self->finish(now);
      if (next != batch.size()) {
        co_await asio::post(self->executor_, asio::use_awaitable);
      }
    }
  }
}

// The principal is stored from attach to detach, because the socket forgets a peer when the last
// message of the peer is received, and not when it is processed.
void server_core::on_collector_peer(const zmtp::routed_message& item) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached: {
      const auto* const known =
          std::visit([&](const auto& socket) { return socket.peer(item.peer); }, collector_);
      collector_peers_[item.peer] = zmtp::known_or_empty(known).user_id;
      return;
    }
    case zmtp::routed_message::kind::detached: collector_peers_.erase(item.peer); return;
    case zmtp::routed_message::kind::message: break;
  }
  state_->on_client_update(item.content, principal_of(item.peer));
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
