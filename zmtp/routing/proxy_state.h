#pragma once
// What a proxy does next, and what it has done: two directions, and the commands that steer them. The
// loops around it are zmtp/socket/proxy.h's.

#include "zmtp/error.h"
#include "zmtp/message.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace zmtp {

// Of one side of a proxy: messages, and the octets of all their parts, envelopes included.
struct proxy_traffic {
  std::uint64_t messages_received = 0;
  std::uint64_t octets_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t octets_sent = 0;
};

// Since the proxy was made. What was received on one side was sent on the other, or was dropped, or is
// in hand: one message in each direction at most.
struct proxy_statistics {
  proxy_traffic frontend;
  proxy_traffic backend;
  std::uint64_t dropped = 0;  // that could never be sent: to a peer that is gone, or out of turn
};

class proxy_state {
public:
  enum class direction : std::uint8_t { to_backend, to_frontend };

  enum class step {
    rest,           // until it is resumed
    copy,           // waits for the capture socket to take copies()
    deliver,        // waits for the other side to take in_hand()
    await_message,  // also when there is one: others have their turn
    await_room,     // on the other side
    move,           // one message: it is there, and the other side has room
  };

  // A run begins; what the last one had in hand goes first.
  void begin() noexcept;
  void pause() noexcept { paused_ = true; }
  void resume() noexcept { paused_ = false; }
  // The run is over, for this reason if it is the first. Outside a run nothing happens.
  void end(error_code why) noexcept;

  [[nodiscard]] bool running() const noexcept { return running_; }
  // Why the last run ended; nothing if it was told to.
  [[nodiscard]] error_code reason() const noexcept { return reason_; }

  // In a run. `readable`: the one side has something; `writable`: the other has room.
  [[nodiscard]] step next(direction way, bool readable, bool writable) noexcept;

  void on_received(direction way, std::size_t octets) noexcept;
  void on_sent(direction way, std::size_t octets) noexcept;
  // What was received last, or its copy for the capture socket, was not taken at once.
  void keep(direction way, message&& m) { of(way).in_hand.push_back(std::move(m)); }
  void keep_copy(direction way, message&& m) { of(way).copies.push_back(std::move(m)); }
  // To be sent from, front first; at most one message each.
  [[nodiscard]] std::vector<message>& in_hand(direction way) noexcept { return of(way).in_hand; }
  [[nodiscard]] std::vector<message>& copies(direction way) noexcept { return of(way).copies; }
  // Waiting to send from in_hand() or copies() has ended. What can never be sent is dropped, and counted
  // where it was in hand; another error than operation_aborted, with which waiting is interrupted, is the end.
  void on_delivered(direction way, std::size_t octets, error_code ec) noexcept;
  void on_copied(direction way, error_code ec) noexcept;
  // Waiting for something else has ended.
  void on_waited(error_code ec) noexcept;

  [[nodiscard]] const proxy_statistics& statistics() const noexcept { return statistics_; }

  // Does what the last part says: PAUSE, RESUME, TERMINATE or STATISTICS, as libzmq's
  // zmq_proxy_steerable has them; passes over anything else. Returns the answer, behind the parts that
  // came in front of the command: to STATISTICS eight numbers of 64 bits in the machine's order of
  // octets, one to a part: of the frontend messages received, octets received, messages sent, octets
  // sent, then of the backend; to the rest an empty part if everything `is_answered`.
  [[nodiscard]] std::optional<message> on_command(const message& m, bool is_answered);

private:
  struct lane {
    std::vector<message> in_hand;
    std::vector<message> copies;
    std::size_t in_a_row = 0;  // moved without letting others have their turn
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
