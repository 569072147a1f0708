#pragma once
// Knows the sockets of an execution context, so that they learn when it goes down.

#include "zmtp/socket/socket_core.h"

#include <boost/asio/execution_context.hpp>
#include <boost/intrusive/list.hpp>

#include <mutex>

namespace zmtp {

// Asio destroys what is pending before it destroys itself; in between nothing may be posted. Sockets
// that user code destroys meanwhile (a coroutine's locals) must know that.
class socket_service final : public asio::execution_context::service {
public:
  using key_type = socket_service;
  static inline asio::execution_context::id id;

  explicit socket_service(asio::execution_context& context)
      : asio::execution_context::service{context} {}

  // The service of the executor's context. Made after Asio's own services, hence shut down before.
  [[nodiscard]] static socket_service& of(const asio::any_io_executor& executor);

  void enter(socket_core& core);
  void leave(socket_core& core) noexcept;

private:
  void shutdown() noexcept override;
  // The connections of a child are its parent's: it leaves them without a word, and the rest of its
  // sockets are closed with them.
  void notify_fork(asio::execution_context::fork_event event) override;

  std::mutex mutex_;  // executors of one context may be run by several threads
  boost::intrusive::list<socket_core> cores_;
};

}  // namespace zmtp
