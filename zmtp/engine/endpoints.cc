#include "zmtp/engine/endpoints.h"

#include "zmtp/engine/dialer.h"
#include "zmtp/engine/inproc_names.h"
#include "zmtp/engine/link.h"
#include "zmtp/engine/listener.h"
#include "zmtp/engine/socket_core.h"
#include "zmtp/transport/tls_context.h"

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

monitor_event about(monitor_event::kind what, const endpoint& at, error_code reason = {}) {
  monitor_event event;
  event.what = what;
  event.endpoint = at.to_string();
  event.reason = reason;
  return event;
}

}  // namespace

result<endpoint> socket_endpoints::bind(std::string_view text) {
  const serial_check::scope alone{core_.serial()};
  const auto at = endpoint::parse(text);
  if (!at) {
    return at.error();
  }
  if (!at->bindable()) {
    return make_error_code(errc::bad_endpoint);
  }
  if (!core_.open()) {
    return make_error_code(errc::socket_closed);
  }
  if (at->inproc() == nullptr && lacks_authenticator(core_.options())) {
    return make_error_code(errc::authenticator_missing);
  }
  return at->inproc() != nullptr ? enter_by<inproc_listener>(*at) : enter_by<listener>(*at);
}

template <class Listener>
result<endpoint> socket_endpoints::enter_by(const endpoint& at) {
  auto added = std::make_shared<Listener>(core_);
  if (const auto ec = added->open(at)) {
    core_.monitors().report([&] { return about(monitor_event::kind::bind_failed, at, ec); });
    return ec;
  }
  core_.monitors().report([&] { return about(monitor_event::kind::listening, added->bound()); });
  gave_up_ = false;
  used_ = true;
  entrances_.push_back(added);
  return added->bound();
}

error_code socket_endpoints::connect(std::string_view text) {
  const serial_check::scope alone{core_.serial()};
  const auto to = endpoint::parse(text);
  if (!to) {
    return to.error();
  }
  if (!to->connectable()) {
    return errc::bad_endpoint;
  }
  if (!core_.open()) {
    return errc::socket_closed;
  }
  if (to->inproc() == nullptr && lacks_authenticator(core_.options())) {
    return errc::authenticator_missing;
  }
  auto tls = transport::tls_context::make(websocket::side::client, *to,
                                          core_.options().transport.tls, core_.executor());
  if (!tls) {
    return tls.error();
  }
  gave_up_ = false;
  used_ = true;
  auto& p = core_.state().open_pipe(true);
  dialers_.push_back(std::make_shared<dialer>(core_, *to, p.id, std::move(*tls)));
  dialers_.back()->start();
  if (core_.senders_wait()) {
    core_.post_turn();
  }
  return {};
}

error_code socket_endpoints::unbind(std::string_view text) {
  const serial_check::scope alone{core_.serial()};
  const auto at = endpoint::parse(text);
  if (!at) {
    return at.error();
  }
  const auto found = std::find_if(entrances_.begin(), entrances_.end(),
                                  [&](const auto& one) { return one->is_at(*at); });
  if (found == entrances_.end()) {
    return errc::bad_endpoint;
  }
  core_.monitors().report([&] { return about(monitor_event::kind::unbound, (*found)->bound()); });
  (*found)->close();
  entrances_.erase(found);
  return {};
}

error_code socket_endpoints::disconnect(std::string_view text) {
  const auto to = endpoint::parse(text);
  if (!to) {
    return to.error();
  }
  const auto found = std::find_if(dialers_.begin(), dialers_.end(),
                                  [&](const auto& one) { return one->to() == *to; });
  if (found == dialers_.end()) {
    return errc::bad_endpoint;
  }
  const auto gone = *found;
  dialers_.erase(found);
  core_.act([&] {
    const auto link = gone->link();
    gone->close();
    if (link) {
      link->close(errc::socket_closed);
    }
    drop(*gone);
  });
  return {};
}

void socket_endpoints::give_up(const std::shared_ptr<dialer>& gone, error_code reason) {
  core_.monitors().report([&] { return about(monitor_event::kind::stopped, gone->to(), reason); });
  core_.turn([&] {
    gave_up_ = true;
    gone->close();
    std::erase(dialers_, gone);
    drop(*gone);
  });
}

// Closes the pipe of the endpoint.
void socket_endpoints::drop(const dialer& gone) {
  if (auto* p = core_.state().find(gone.pipe())) {
    core_.state().close_pipe(*p);
  }
}

void socket_endpoints::stop_listening() noexcept {
  for (const auto& one : entrances_) {
    one->close();
  }
  entrances_.clear();
}

void socket_endpoints::finish() {
  for (const auto& one : dialers_) {
    one->finish();
  }
}

bool socket_endpoints::any_connects() noexcept {
  // Thousands of connections may end and call this function. Checking only the last dialer keeps it
  // fast.
  while (!dialers_.empty() && !dialers_.back()->active()) {
    dialers_.pop_back();
  }
  return !dialers_.empty();
}

void socket_endpoints::close() noexcept {
  stop_listening();
  for (const auto& one : dialers_) {
    one->close();
  }
  dialers_.clear();
}

}  // namespace zmtp
