#pragma once
// Decisions of a proxy: two directions, and the commands that control them.
// zmtp/socket/proxy.h has the loops around it.

#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/message.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace zmtp {

class proxy_state {
public:
  enum class direction : std::uint8_t { to_backend, to_frontend };

  enum class step {
    rest,           // paused; wait for resume()
    copy,           // wait until the capture socket takes copies()
    deliver,        // wait until the other side takes in_flight()
    await_message,  // wait, even if there is a message, so that others on the executor can run
    await_room,     // wait until the other side is writable
    move,           // forward one message; both sides are ready
  };

  // Starts a run. The pending messages of the last run go first.
  void begin() noexcept;
  void pause() noexcept { paused_ = true; }
  void resume() noexcept { paused_ = false; }
  // Ends the run. The first reason counts. Does nothing outside a run.
  void end(error_code why) noexcept;

  [[nodiscard]] bool running() const noexcept { return running_; }
  // Why the last run ended. No error if it was stopped by terminate().
  [[nodiscard]] error_code reason() const noexcept { return reason_; }

  // Returns the next step of a run. `readable`: the source has a message. `writable`: the
  // destination accepts one.
  [[nodiscard]] step next(direction way, bool readable, bool writable) noexcept;

  void on_received(direction way, std::size_t bytes) noexcept;
  void on_sent(direction way, std::size_t bytes) noexcept;
  // Keeps the message that was received last, or its copy for the capture socket, because it could
  // not be sent immediately.
  void keep(direction way, message&& m) { of(way).in_flight.push_back(std::move(m)); }
  void keep_copy(direction way, message&& m) { of(way).copies.push_back(std::move(m)); }
  // The pending messages, at most one each. The caller sends from the front.
  [[nodiscard]] std::vector<message>& in_flight(direction way) noexcept {
    return of(way).in_flight;
  }
  [[nodiscard]] std::vector<message>& copies(direction way) noexcept { return of(way).copies; }
  // Call when sending from in_flight() or copies() has ended. Drops undeliverable messages, and
  // counts those of in_flight(). operation_aborted only interrupts the wait. Any other error ends the
  // run.
  void on_delivered(direction way, std::size_t bytes, error_code ec) noexcept;
  void on_copied(direction way, error_code ec) noexcept;
  // Call when another wait has ended.
  void on_waited(error_code ec) noexcept;

  [[nodiscard]] const proxy_statistics& statistics() const noexcept { return statistics_; }

  // Executes the command in the last part: PAUSE, RESUME, TERMINATE or STATISTICS, as in libzmq's
  // zmq_proxy_steerable. Ignores other messages.
  // Returns the answer, after the parts that preceded the command. The answer to STATISTICS has
  // eight parts, each a 64-bit number in native byte order: messages received, bytes received,
  // messages sent and bytes sent by the frontend, then the same for the backend. If `is_answered`,
  // the answer to every other message is an empty part.
  [[nodiscard]] std::optional<message> on_command(const message& m, bool is_answered);

private:
  struct lane {
    std::vector<message> in_flight;
    std::vector<message> copies;
    std::size_t in_a_row = 0;  // messages forwarded without a pause for others on the executor
  };

  [[nodiscard]] lane& of(direction way) noexcept { return lanes_[static_cast<std::size_t>(way)]; }
  [[nodiscard]] bool dropped(std::vector<message>& what, error_code ec) noexcept;

  bool running_ = false;
  bool paused_ = false;
  error_code reason_;
  std::array<lane, 2> lanes_;
  proxy_statistics statistics_;
};

}  // namespace zmtp
