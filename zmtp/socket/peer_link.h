#pragma once
// What joins a socket to one peer, whatever the transport: who may attach, and what the end of a
// connection means for the socket.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/metadata.h"
#include "zmtp/routing/peer_counters.h"
#include "zmtp/routing/peer_info.h"
#include "zmtp/routing/pipe_table.h"
#include "zmtp/socket/monitor_event.h"
#include "zmtp/socket/socket_core.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace zmtp {

// The properties by which a socket says who it is (RFC 37 "The NULL security mechanism").
[[nodiscard]] metadata own_properties(const socket_state& state);

class peer_link : public std::enable_shared_from_this<peer_link> {
public:
  using clock = socket_core::clock;
  // How a link ended: why, and how long its handshake had been over, if it ever was.
  using end_handler = std::function<void(error_code, std::optional<std::chrono::milliseconds>)>;

  peer_link(const peer_link&) = delete;
  peer_link& operator=(const peer_link&) = delete;
  virtual ~peer_link() = default;

  // In a turn.
  virtual void start() = 0;
  // Writes what is there to be written, in one write a turn; waits for the peer where it has no room.
  // False if there is more to write in another turn.
  [[nodiscard]] virtual bool flush() = 0;
  // In the middle of a batch: what costs nothing more now than with the next flush is done.
  virtual void hand_over() {}
  // Tells the peer of a subscription of ours, with the next flush.
  virtual void tell(bool subscribe, std::string_view topic) = 0;
  // The receive queue has room again.
  virtual void resume() = 0;
  // Asks whether the peer still lives.
  virtual void probe() = 0;
  // The socket has other options now.
  virtual void options_changed() {}
  // Ends the conversation silently.
  virtual void close(error_code reason) = 0;
  // The socket is closed: write the rest, then say so to the peer and wait until it has read it.
  virtual void finish() = 0;
  // Drops the connection, calls nothing.
  virtual void abandon() noexcept = 0;

  // For monitors: the endpoint that it came by. Set before start().
  void came_by(std::shared_ptr<const endpoint> at) noexcept { endpoint_ = std::move(at); }
  // When its handshake was over.
  [[nodiscard]] clock::time_point attached_at() const noexcept {
    return ready_at_.value_or(clock::time_point{});
  }

  // Called once, when the handshake is over, well or not. Set before start().
  void on_handshake_over(std::function<void()> handler) { on_handshake_over_ = std::move(handler); }
  // Called where the endpoint's pipe is another from now on. Set before start().
  void on_moved(std::function<void(peer_id)> handler) { on_moved_ = std::move(handler); }
  // Called once, in a turn.
  void on_end(end_handler handler) { on_end_ = std::move(handler); }

protected:
  // `pipe` is the durable pipe of an endpoint that we connect to, as long as its peer may have it; an
  // accepted connection gets one when its handshake is over.
  peer_link(std::shared_ptr<socket_core> core, std::optional<peer_id> pipe)
      : core_{std::move(core)}, pipe_{pipe} {}

  [[nodiscard]] pipe* own_pipe() const noexcept {
    return pipe_ ? core_->state().find(*pipe_) : nullptr;
  }
  // What is counted before there is a pipe goes along into it.
  [[nodiscard]] peer_counters& counters() noexcept {
    auto* p = own_pipe();
    return p != nullptr ? p->counters : early_;
  }
  // For monitors.
  void report(monitor_event::kind what, error_code reason = {});
  void report_start();
  void report_end(error_code reason);
  [[nodiscard]] virtual peer_info known_peer() = 0;
  // The reason that the peer gave, if it did.
  [[nodiscard]] virtual std::string_view peer_error() const noexcept { return {}; }
  [[nodiscard]] const std::shared_ptr<const endpoint>& came_by() const noexcept {
    return endpoint_;
  }

  // Whether a peer that announces itself so may attach; has others give way to it.
  [[nodiscard]] error_code judge(const peer_info& who);
  // The handshake is over. Nothing if the endpoint has been given up meanwhile.
  [[nodiscard]] pipe* attach(peer_info who);
  // The connection is gone, and has been abandoned.
  void detach(error_code reason);

  std::shared_ptr<socket_core> core_;

private:
  std::optional<peer_id> pipe_;
  std::shared_ptr<const endpoint> endpoint_;
  peer_counters early_;
  std::function<void(peer_id)> on_moved_;
  end_handler on_end_;
  std::function<void()> on_handshake_over_;
  std::optional<clock::time_point> ready_at_;
};

}  // namespace zmtp
