#pragma once
// Where a socket is bound, and what it connects to.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"

#include <memory>
#include <string_view>
#include <vector>

namespace zmtp {

class dialer;
class entrance;
class socket_core;

class socket_endpoints {
public:
  // Part of its socket.
  explicit socket_endpoints(socket_core& core) noexcept : core_{core} {}

  [[nodiscard]] result<endpoint> bind(std::string_view text);
  [[nodiscard]] error_code connect(std::string_view text);
  [[nodiscard]] error_code unbind(std::string_view text);
  [[nodiscard]] error_code disconnect(std::string_view text);
  // This one is not connected to any more: reconnect_options say so. What was queued for it is dropped with
  // it.
  void give_up(const std::shared_ptr<dialer>& gone, error_code reason);

  // One was bound or connected.
  [[nodiscard]] bool used() const noexcept { return used_; }
  // One was given up, none came since and none is left: nobody will come.
  [[nodiscard]] bool deserted() const noexcept {
    return gave_up_ && dialers_.empty() && entrances_.empty();
  }

  // The socket is closed: nobody is let in any more …
  void stop_listening() noexcept;
  // … and each of those that are connected to is so only while something is left to write for it.
  void finish();
  // Whether any still is, or is to be.
  [[nodiscard]] bool any_connects() noexcept;
  // All is over: no more attempts. Connections are the links' to end.
  void close() noexcept;

private:
  template <class Listener>
  [[nodiscard]] result<endpoint> enter_by(const endpoint& at);
  void drop(const dialer& gone);

  socket_core& core_;
  bool used_ = false;
  bool gave_up_ = false;  // one, and none was bound or connected since
  std::vector<std::shared_ptr<entrance>> entrances_;
  std::vector<std::shared_ptr<dialer>> dialers_;
};

}  // namespace zmtp
