#pragma once
// Espresso: observes all messages that a proxy forwards in either direction. A capture for
// zmtp/socket/proxy.h without a socket.

#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/message_ends.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <vector>

namespace zmtp {

// Pass this object to proxy::capture_to(). It must outlive the runs of the proxy. The proxy calls
// the handler for each message, subscriptions included, before it forwards the message, and waits
// until the handler returns. Handlers run in the executor of the proxy.
//
// Thread safety: distinct objects safe, one object not.
class capture_listener {
public:
  using handler = std::function<void(const message&)>;

  capture_listener(boost::asio::any_io_executor executor, handler on_message);

  // The operations of a message_sink that is always writable.
  [[nodiscard]] send_status try_send(message&& m);
  void async_send(std::vector<message>& batch, count_done_handler done);

private:
  boost::asio::any_io_executor executor_;
  handler on_message_;
};

}  // namespace zmtp
