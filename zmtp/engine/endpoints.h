#pragma once
// The endpoints of a socket, bound and connected, for any transport.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"

#include <memory>
#include <string_view>
#include <vector>

namespace zmtp {

class dialer;
class socket_core;

// A bound endpoint.
class binding {
public:
  binding(const binding&) = delete;
  binding& operator=(const binding&) = delete;
  virtual ~binding() = default;

  virtual void close() noexcept = 0;
  // The endpoint to which peers can connect.
  [[nodiscard]] const endpoint& bound() const noexcept { return bound_; }
  // Returns whether this is the bound endpoint, or the one that the user passed to bind().
  [[nodiscard]] bool is_at(const endpoint& at) const noexcept {
    return at == bound_ || at == asked_for_;
  }

protected:
  binding() = default;

  endpoint asked_for_;
  endpoint bound_;
};

// The endpoints of one socket, of which this object is a part.
class socket_endpoints {
public:
  explicit socket_endpoints(socket_core& core) noexcept : core_{core} {}

  [[nodiscard]] result<endpoint> bind(std::string_view text);
  [[nodiscard]] error_code connect(std::string_view text);
  [[nodiscard]] error_code unbind(std::string_view text);
  [[nodiscard]] error_code disconnect(std::string_view text);
  // Removes an endpoint after reconnect_options stopped all retries. Drops the messages queued for
  // it.
  void give_up(const std::shared_ptr<dialer>& gone, error_code reason);

  // Returns whether the socket has ever been bound or connected.
  [[nodiscard]] bool used() const noexcept { return used_; }
  // Returns whether no endpoint is left because retries stopped, and none was added since. Then no
  // peer will connect.
  [[nodiscard]] bool deserted() const noexcept {
    return gave_up_ && dialers_.empty() && entrances_.empty();
  }

  // Call when the socket is closed. Stops listening …
  void stop_listening() noexcept;
  // … and keeps connect endpoints only while messages are left to write.
  void finish();
  // Returns whether a connect endpoint is still active.
  [[nodiscard]] bool any_connects() noexcept;
  // Call when the socket ends. Stops all attempts. The links end their connections.
  void close() noexcept;

private:
  template <class Listener>
  [[nodiscard]] result<endpoint> enter_by(const endpoint& at);
  void drop(const dialer& gone);

  socket_core& core_;
  bool used_ = false;
  bool gave_up_ = false;  // an endpoint stopped retrying, and none was added since
  std::vector<std::shared_ptr<binding>> entrances_;
  std::vector<std::shared_ptr<dialer>> dialers_;
};

}  // namespace zmtp
