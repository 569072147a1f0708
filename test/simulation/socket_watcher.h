#pragma once
// Sees what a simulated socket does with its connections.

#include "zmtp/error.h"
#include "zmtp/peer.h"
#include "zmtp/simulation/virtual_connection.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zmtp::simulation {

class sim_socket;

class socket_watcher {
public:
  virtual ~socket_watcher() = default;
  // A conversation has begun on this end of the stream.
  virtual void on_link(const sim_socket& socket, std::uint64_t stream, end_of_stream e) = 0;
  // The socket has a pipe for an endpoint that it connects to, or no longer.
  virtual void on_connected(const sim_socket& socket, peer_id pipe) = 0;
  virtual void on_disconnected(const sim_socket& socket, peer_id pipe) = 0;
  virtual void on_attached(const sim_socket& socket, peer_id pipe, std::uint64_t stream,
                           end_of_stream e) = 0;
  virtual void on_subscription(const sim_socket& socket, peer_id pipe, bool subscribe,
                               std::string_view topic) = 0;
  // The socket's queue has `messages` more messages from the other end.
  virtual void on_decoded(const sim_socket& socket, std::uint64_t stream, end_of_stream e,
                          std::size_t messages) = 0;
  virtual void on_detached(const sim_socket& socket, peer_id pipe) = 0;
  virtual void on_ended(const sim_socket& socket, std::uint64_t stream, end_of_stream e,
                        error_code reason) = 0;
  // A turn is over: what holds at all times, holds now.
  virtual void on_turn(const sim_socket& socket) = 0;
};

}  // namespace zmtp::simulation
