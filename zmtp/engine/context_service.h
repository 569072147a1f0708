#pragma once
// The sockets of an execution context, so that they learn when the context is destroyed.

#include "zmtp/engine/socket_core.h"

#include <boost/asio/execution_context.hpp>
#include <boost/intrusive/list.hpp>

#include <memory>
#include <mutex>

namespace zmtp {

struct process_resources;

// Asio destroys pending handlers before it destroys itself. Nothing may be posted in between. User
// code may destroy sockets at that time, for example as locals of a coroutine, so the sockets must
// know.
class context_service final : public asio::execution_context::service {
public:
  using key_type = context_service;
  static inline asio::execution_context::id id;

  // For a context of this process.
  explicit context_service(asio::execution_context& context);
  context_service(asio::execution_context& context, std::shared_ptr<process_resources> process);

  // Returns the service of the executor's context. Created after Asio's own services, so that it
  // shuts down before them.
  [[nodiscard]] static context_service& of(const asio::any_io_executor& executor);

  // Makes the context that of another process, for a simulation. Call before the context has its
  // first socket. Throws asio::service_already_exists otherwise.
  static void install(const asio::any_io_executor& executor,
                      std::shared_ptr<process_resources> process);

  [[nodiscard]] const std::shared_ptr<process_resources>& process() const noexcept {
    return process_;
  }

  void enter(socket_core& core);
  void leave(socket_core& core) noexcept;

private:
  void shutdown() noexcept override;
  // In the child of a fork, drops all connections without writing, because they belong to the
  // parent, and closes all sockets.
  void notify_fork(asio::execution_context::fork_event event) override;

  std::shared_ptr<process_resources> process_;
  std::mutex mutex_;  // several threads may run executors of one context
  boost::intrusive::list<socket_core> cores_;
};

}  // namespace zmtp
