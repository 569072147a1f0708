#include "zmtp/engine/inproc_names.h"

#include "zmtp/engine/context_service.h"
#include "zmtp/engine/inproc_channel.h"
#include "zmtp/engine/inproc_link.h"
#include "zmtp/engine/process_resources.h"

#include <boost/asio/error.hpp>
#include <boost/asio/prefer.hpp>

#include <new>
#include <utility>
#include <vector>

namespace zmtp {

inproc_listener::inproc_listener(socket_core& core)
    : core_{&core}, where_{std::make_shared<remote_executor>(core.executor())} {}

error_code inproc_listener::open(const endpoint& at) {
  const auto& process = context_service::of(core_->executor()).process();
  names_ = {process, &process->names};
  const auto ec = names_->bind(at.inproc()->name, {where_, weak_from_this()});
  if (!ec) {
    asked_for_ = bound_ = at;
    work_ = asio::prefer(core_->executor(), asio::execution::outstanding_work.tracked);
  }
  return ec;
}

void inproc_listener::on_call(std::shared_ptr<inproc_channel> channel) {
  if (core_ == nullptr) {
    channel->leave(inproc_channel::end::binding);
    return;
  }
  const auto core = core_->shared_from_this();
  std::shared_ptr<inproc_link> link;
  try {
    link = std::make_shared<inproc_link>(core, channel, inproc_channel::end::binding, std::nullopt);
    link->came_by(std::make_shared<const endpoint>(bound_), nullptr);
    core->links().add(link);
  } catch (const std::bad_alloc&) {
    // The connecting side tries again.
    channel->leave(inproc_channel::end::binding);
    return;
  }
  core->turn([&] { link->start(); });
}

void inproc_listener::close() noexcept {
  if (std::exchange(core_, nullptr) == nullptr) {
    return;
  }
  where_->close();
  if (const auto* at = bound_.inproc()) {
    names_->unbind(at->name);
  }
  work_ = {};
}

error_code inproc_names::bind(const std::string& name, inproc_door door) {
  std::vector<std::function<void()>> waited;
  {
    const std::lock_guard lock{mutex_};
    if (!doors_.emplace(name, std::move(door)).second) {
      return boost::asio::error::address_in_use;
    }
    const auto [first, last] = waiting_.equal_range(name);
    for (auto each = first; each != last; ++each) {
      waited.push_back(std::move(each->second.when_bound));
    }
    waiting_.erase(first, last);
  }
  for (const auto& call : waited) {
    call();
  }
  return {};
}

void inproc_names::unbind(const std::string& name) noexcept {
  const std::lock_guard lock{mutex_};
  doors_.erase(name);
}

std::optional<inproc_door> inproc_names::find(const std::string& name, const void* caller,
                                              std::function<void()> when_bound) {
  const std::lock_guard lock{mutex_};
  if (const auto found = doors_.find(name); found != doors_.end()) {
    return found->second;
  }
  waiting_.emplace(name, waiting_caller{caller, std::move(when_bound)});
  return std::nullopt;
}

void inproc_names::leave(const std::string& name, const void* caller) noexcept {
  const std::lock_guard lock{mutex_};
  const auto [first, last] = waiting_.equal_range(name);
  for (auto each = first; each != last; ++each) {
    if (each->second.who == caller) {
      waiting_.erase(each);
      return;
    }
  }
}

}  // namespace zmtp
