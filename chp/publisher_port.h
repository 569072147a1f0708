#pragma once
// The publisher of a server: an XPUB, and the messages that wait for room in its queues.
// server_core uses it; users do not.

#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "zmtp/message_batch.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace chp {

// All messages stay in order: those to one subscriber follow what was published before.
class publisher_port : public std::enable_shared_from_this<publisher_port> {
public:
  publisher_port(const boost::asio::any_io_executor& executor, const server_options& options);

  // `on_room` is called when nothing waits any more.
  void start(std::function<void()> on_room) { on_room_ = std::move(on_room); }
  [[nodiscard]] zmtp::xpub_socket& socket() noexcept { return socket_; }
  // Returns whether publications wait. The server must then collect no more updates.
  [[nodiscard]] bool is_full() const noexcept { return sending_; }

  // With xpub_options::manual. Takes the content of the list.
  void subscribe(std::vector<map_access::subscription>& all);
  // Sends each message to all subscribers of its key, and what is inserted between them. Takes the
  // content of both.
  void publish(zmtp::message_batch& all, std::vector<server_actions::insertion>& inserted);
  // Sends each message to one subscriber. Takes the content of the list.
  void tell(std::vector<server_actions::addressed>& all);

private:
  void publish(zmtp::message_batch& all);
  void send_rest();
  void tell_waiting();

  zmtp::xpub_socket socket_;
  std::function<void()> on_room_;
  bool sending_ = false;        // unsent_
  zmtp::message_batch unsent_;  // publications that did not fit the queue in their turn
  zmtp::message_batch behind_;  // later publications
  std::vector<server_actions::addressed> waiting_;  // after both
};

}  // namespace chp
