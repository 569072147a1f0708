#pragma once
// A conversation on a stream: reads into it, writes its output, acts on its events.

#include "zmtp/conversation/connection.h"
#include "zmtp/socket/socket_core.h"
#include "zmtp/transport/stream.h"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace zmtp {

class wire_link final : public std::enable_shared_from_this<wire_link> {
public:
  using clock = socket_core::clock;
  // How a link ended: why, and how long its handshake had been over, if it ever was.
  using end_handler = std::function<void(error_code, std::optional<std::chrono::milliseconds>)>;

  // `pipe` is the durable pipe of an endpoint that we connect to; an accepted connection gets one
  // when its handshake is over. `on_end` is called once, in a turn.
  wire_link(std::shared_ptr<socket_core> core, transport::stream stream,
            std::optional<peer_id> pipe, end_handler on_end);

  void start();
  // Writes what is there to be written, in one write a turn; waits for the kernel where it is full.
  // False if there is more to write in another turn.
  [[nodiscard]] bool flush();
  // Tells the peer of a subscription of ours, with the next flush.
  void tell(bool subscribe, std::string_view topic);
  // The receive queue has room again.
  void resume();
  // Asks whether the peer still lives.
  void probe();
  // So long the peer has said nothing.
  [[nodiscard]] clock::duration silence(clock::time_point now) const noexcept {
    return connection_.silence(now);
  }
  // Ends the conversation silently.
  void close(error_code reason);
  // The socket is closed: write the rest, then say so to the peer and wait until it has read it.
  void finish();
  // Drops the stream, calls nothing.
  void abandon() noexcept;

  // Called once, when the handshake is over, well or not. Set before start().
  void on_handshake_over(std::function<void()> handler) { on_handshake_over_ = std::move(handler); }

private:
  void on_readable(error_code ec);
  void listen();
  void read();
  void process();
  void on_event(connection::event&& event);
  void on_admission();
  void on_ready();
  void settle();
  void discard();
  void wait_readable();
  void write();
  void write_soon();
  void wait_writable();
  [[nodiscard]] connection::acknowledgement acknowledged();
  void arm_deadline();
  void on_deadline();
  void end(error_code reason);
  [[nodiscard]] pipe* own_pipe() const noexcept;
  [[nodiscard]] send_queue& out() noexcept;

  std::shared_ptr<socket_core> core_;
  transport::stream stream_;
  connection connection_;
  std::optional<peer_id> pipe_;
  end_handler on_end_;
  std::function<void()> on_handshake_over_;
  // Before a pipe there is nothing to queue: these stay empty.
  receive_queue no_in_{{}};
  send_queue no_out_{{}};
  std::optional<asio::steady_timer> timer_;
  std::optional<clock::time_point> timer_due_;
  std::optional<clock::time_point> ready_at_;
  bool reading_ = false;          // a wait for readability is pending
  bool writing_ = false;          // a wait for writability is pending
  bool deaf_ = false;             // the peer takes no more octets
  std::uint64_t written_in_ = 0;  // the turn of the last write
  std::uint64_t refused_ = 0;     // subscriptions that the state knows to be refused
  bool finishing_ = false;
  bool shut_ = false;  // our end of the stream is closed
  bool ended_ = false;
};

}  // namespace zmtp
