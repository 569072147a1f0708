#pragma once
// An inproc name to which a socket is bound. Accepts connections from this executor and other ones.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/socket/entrance.h"
#include "zmtp/socket/inproc_registry.h"
#include "zmtp/socket/remote_executor.h"
#include "zmtp/socket/socket_core.h"

#include <memory>

namespace zmtp {

class inproc_channel;

class inproc_listener final : public entrance,
                              public std::enable_shared_from_this<inproc_listener> {
public:
  explicit inproc_listener(socket_core& core);

  // The core must outlive the listener or call close(). Errors: address_in_use.
  [[nodiscard]] error_code open(const endpoint& at);
  void close() noexcept override;

  // Call when a socket has connected and waits at the other end.
  void on_call(std::shared_ptr<inproc_channel> channel);

private:
  socket_core* core_;  // null after close()
  std::shared_ptr<remote_executor> where_;
  asio::any_io_executor work_;  // outstanding work: a bound socket keeps its context running
};

}  // namespace zmtp
