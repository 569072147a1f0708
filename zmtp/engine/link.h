#pragma once
// The link between a socket and one peer, for any transport: admission, and the effects of a
// connection's end on the socket.

#include "zmtp/endpoint.h"
#include "zmtp/engine/socket_core.h"
#include "zmtp/error.h"
#include "zmtp/metadata.h"
#include "zmtp/monitor_event.h"
#include "zmtp/peer.h"
#include "zmtp/routing/pipe.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace zmtp {

// The properties that a socket announces to peers (RFC 37 "The NULL security mechanism").
[[nodiscard]] metadata own_properties(const socket_state& state);

class peer_link;

// The endpoint that a link came by. All calls are made in a turn.
class link_owner {
public:
  // Called once when the handshake ends, with or without success.
  virtual void on_handshake_over(const peer_link& /*of*/) {}
  // Called when another pipe becomes the endpoint's pipe.
  virtual void on_moved(peer_id /*to*/) {}
  // Called once, with the reason of the end, and the time since the handshake was complete, if it
  // was.
  virtual void on_end(error_code /*reason*/, std::optional<std::chrono::milliseconds> /*lasted*/) {}

protected:
  ~link_owner() = default;
};

class peer_link : public std::enable_shared_from_this<peer_link> {
public:
  using clock = socket_core::clock;

  peer_link(const peer_link&) = delete;
  peer_link& operator=(const peer_link&) = delete;
  virtual ~peer_link() = default;

  // Must be called in a turn.
  virtual void start() = 0;
  // Writes pending output, once per turn. If the peer does not take all, waits for it. Returns
  // false if more is left for another turn.
  [[nodiscard]] virtual bool flush() = 0;
  // Call in the middle of a batch. Does the part of a flush that does not cost more now.
  virtual void hand_over() {}
  // Sends a local subscription change with the next flush.
  virtual void tell(bool subscribe, std::string_view topic) = 0;
  // Call when the receive queue has space again.
  virtual void resume() = 0;
  // Tests whether the peer is alive.
  virtual void probe() = 0;
  // Call after a change of the socket's options.
  virtual void options_changed() {}
  // Ends the conversation, without ERROR.
  virtual void close(error_code reason) = 0;
  // Call when the socket is closed. Writes the rest, closes the local end and waits until the peer
  // has read everything.
  virtual void finish() = 0;
  // Drops the connection. Calls no handler.
  virtual void abandon() noexcept = 0;

  // The endpoint of the connection, for monitors, and who is told about the link, or null. Set
  // before start().
  void came_by(std::shared_ptr<const endpoint> at, std::shared_ptr<link_owner> owner) noexcept {
    endpoint_ = std::move(at);
    owner_ = std::move(owner);
  }
  // The number of the link in links.
  void arrived_as(std::uint64_t number) noexcept { arrival_ = number; }
  [[nodiscard]] std::uint64_t arrival() const noexcept { return arrival_; }
  // The time when the handshake was complete.
  [[nodiscard]] clock::time_point attached_at() const noexcept {
    return ready_at_.value_or(clock::time_point{});
  }

protected:
  // `pipe` is the durable pipe of an endpoint that the socket connects to, if this peer may use it.
  // An accepted connection gets a pipe when its handshake is complete.
  peer_link(std::shared_ptr<socket_core> core, std::optional<peer_id> pipe)
      : core_{std::move(core)}, pipe_{pipe} {}

  [[nodiscard]] pipe* own_pipe() const noexcept {
    return pipe_ ? core_->state().find(*pipe_) : nullptr;
  }
  // Counters from before the attach move into the pipe.
  [[nodiscard]] peer_counters& counters() noexcept {
    auto* p = own_pipe();
    return p != nullptr ? p->counters : early_;
  }
  // For monitors.
  void report(monitor_event::kind what, error_code reason = {});
  void report_start();
  // `reported` is the error for monitors, if it is not `reason`.
  void report_end(error_code reason, error_code reported = {});
  [[nodiscard]] virtual peer_info known_peer() = 0;
  // The reason in the peer's ERROR, if there was one.
  [[nodiscard]] virtual std::string_view peer_error() const noexcept { return {}; }
  [[nodiscard]] const std::shared_ptr<const endpoint>& came_by() const noexcept {
    return endpoint_;
  }

  // Decides whether this peer may attach. Evicts another peer if the decision requires it.
  [[nodiscard]] error_code decide_admission(const peer_info& who);
  // Call when the handshake is complete. Returns nullptr if the endpoint was disconnected
  // meanwhile.
  [[nodiscard]] pipe* attach(peer_info who);
  // Call when the connection has ended and was abandoned.
  void detach(error_code reason);

  std::shared_ptr<socket_core> core_;

private:
  std::optional<peer_id> pipe_;
  std::uint64_t arrival_ = 0;
  std::shared_ptr<const endpoint> endpoint_;
  peer_counters early_;
  std::shared_ptr<link_owner> owner_;  // null after the end
  std::optional<clock::time_point> ready_at_;
};

}  // namespace zmtp
