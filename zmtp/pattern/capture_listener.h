#pragma once
// Espresso: sees everything that a proxy forwards, either way. A capture for zmtp/socket/proxy.h without
// a socket behind it.

#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/message_ends.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <vector>

namespace zmtp {

// Given to proxy::capture_to(), and outlives the proxy's runs. The handler is called for each message,
// subscriptions included, before it goes on; it holds up the proxy for as long as it takes.
class capture_listener {
public:
  using handler = std::function<void(const message&)>;

  capture_listener(boost::asio::any_io_executor executor, handler on_message);

  // As a message_sink that has always room.
  [[nodiscard]] send_status try_send(message&& m);
  void async_send(std::vector<message>& batch, count_done_handler done);

private:
  boost::asio::any_io_executor executor_;
  handler on_message_;
};

}  // namespace zmtp
