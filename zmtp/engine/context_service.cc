#include "zmtp/engine/context_service.h"

#include "zmtp/engine/process_resources.h"
#include "zmtp/transport/network.h"

#include <boost/asio/query.hpp>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace zmtp {

namespace {

// Services shut down in the reverse order of their creation, and Asio's own must shut down after
// the sockets.
void create_services_of_asio(const asio::any_io_executor& executor) {
  const timer first{executor};
  auto& network = transport::network::of(executor);
  (void)network.make_acceptor(executor, {});
  (void)network.make_connector(executor, {});
}

}  // namespace

context_service::context_service(asio::execution_context& context)
    : context_service{context, process_resources::of_this_process()} {}

context_service::context_service(asio::execution_context& context,
                                 std::shared_ptr<process_resources> process)
    : asio::execution_context::service{context}, process_{std::move(process)} {}

context_service& context_service::of(const asio::any_io_executor& executor) {
  auto& context = asio::query(executor, asio::execution::context);
  if (!asio::has_service<context_service>(context)) {
    create_services_of_asio(executor);
  }
  return asio::use_service<context_service>(context);
}

void context_service::install(const asio::any_io_executor& executor,
                              std::shared_ptr<process_resources> process) {
  create_services_of_asio(executor);
  asio::make_service<context_service>(asio::query(executor, asio::execution::context),
                                      std::move(process));
}

void context_service::enter(socket_core& core) {
  const std::lock_guard lock{mutex_};
  cores_.push_back(core);
}

void context_service::leave(socket_core& core) noexcept {
  const std::lock_guard lock{mutex_};
  cores_.erase(cores_.iterator_to(core));
}

void context_service::shutdown() noexcept {
  for (;;) {
    std::shared_ptr<socket_core> core;
    {
      const std::lock_guard lock{mutex_};
      if (cores_.empty()) {
        return;
      }
      core = cores_.front().weak_from_this().lock();
      cores_.pop_front();
    }
    if (core) {
      core->abandon();
    }
  }
}

void context_service::notify_fork(asio::execution_context::fork_event event) {
  if (event != asio::execution_context::fork_child) {
    return;
  }
  std::vector<std::shared_ptr<socket_core>> cores;
  {
    const std::lock_guard lock{mutex_};
    for (auto& core : cores_) {
      cores.push_back(core.shared_from_this());
    }
  }
  for (const auto& core : cores) {
    core->close(errc::socket_closed, std::chrono::milliseconds{0});
  }
}

}  // namespace zmtp
