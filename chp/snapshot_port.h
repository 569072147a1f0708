#pragma once
// The snapshot port of a server: a ROUTER whose peers get long replies as fast as they read.
// server_core uses it; users do not.

#include "chp/server_options.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/any_io_executor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>

namespace chp {

class snapshot_port : public std::enable_shared_from_this<snapshot_port> {
public:
  snapshot_port(const boost::asio::any_io_executor& executor, const server_options& options);

  // `next` sends the next piece to a peer, and calls stream() again if there is more.
  void start(std::function<void(zmtp::peer_id)> next) { next_ = std::move(next); }
  [[nodiscard]] zmtp::router_socket& socket() noexcept { return socket_; }

  // Sends a message now, or when the peer has room, in order.
  void send(zmtp::peer_id to, zmtp::message&& content);
  // There is a piece for the peer. It is read when the peer has room. One piece is written in a
  // turn, for one peer, so that other work goes on in between.
  void stream(zmtp::peer_id to);

private:
  // Messages that wait for room at a peer.
  struct waiting {
    std::deque<zmtp::message> unsent;
    bool has_more = false;
  };

  void await_room(zmtp::peer_id peer);
  void post_next();
  void write(zmtp::peer_id peer);

  boost::asio::any_io_executor executor_;
  zmtp::router_socket socket_;
  std::function<void(zmtp::peer_id)> next_;
  std::map<zmtp::peer_id, waiting> waiting_;
  std::deque<zmtp::peer_id> have_room_;  // each peer once
};

}  // namespace chp
