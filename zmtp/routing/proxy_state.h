#pragma once
// Decisions of a proxy: two directions, and the commands that control them.
// zmtp/socket/proxy.h has the loops around it.

#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

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
    move,           // forward a batch; both sides are ready
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

  // The batch that was received last, and its copies for the capture socket. The caller receives
  // into them when they are empty, and sends from the front.
  [[nodiscard]] message_batch& in_flight(direction way) noexcept { return of(way).in_flight; }
  [[nodiscard]] message_batch& copies(direction way) noexcept { return of(way).copies; }
  // Call when messages were received into in_flight(). Counts them, and not the notices of peers.
  void on_received(direction way) noexcept;
  // Call when sending from in_flight() or copies() has ended. Counts the messages that have left
  // in_flight(). Drops an undeliverable message at the front, and counts it in in_flight().
  // operation_aborted only interrupts the wait. Any other error ends the run.
  void on_delivered(direction way, error_code ec) noexcept;
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
  struct traffic {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  struct lane {
    message_batch in_flight;
    traffic counted;  // the part of in_flight that counts as received, and not as sent
    message_batch copies;
    std::uint64_t in_a_row = 0;  // messages forwarded without a pause for others on the executor
  };

  [[nodiscard]] lane& of(direction way) noexcept { return lanes_[static_cast<std::size_t>(way)]; }
  [[nodiscard]] static traffic measure(const message_batch& batch) noexcept;
  [[nodiscard]] static bool drops_first(message_batch& from, error_code ec) noexcept;

  bool running_ = false;
  bool paused_ = false;
  error_code reason_;
  std::array<lane, 2> lanes_;
  proxy_statistics statistics_;
};

}  // namespace zmtp
