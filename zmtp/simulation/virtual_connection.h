#pragma once
// A connection like TCP's, in virtual time: bytes in order, a window in each direction, and faults.

#include "zmtp/simulation/run_state.h"
#include "zmtp/simulation/simulated_host.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace zmtp::simulation {

enum class end_of_stream : std::uint8_t { connecting, accepting };

[[nodiscard]] constexpr end_of_stream other(end_of_stream e) noexcept {
  return e == end_of_stream::connecting ? end_of_stream::accepting : end_of_stream::connecting;
}

struct stream_options {
  event_queue::duration delay{};  // from end to end
  event_queue::duration jitter{};
  std::size_t window = 64 * 1024;  // bytes that one direction holds
  bool cuts = false;               // reads, writes and segments end at any byte
};

class virtual_connection final : public std::enable_shared_from_this<virtual_connection> {
public:
  using piece = std::span<const std::byte>;
  using action = event_queue::action;
  enum class fault : std::uint8_t { none, would_block, ended, lost };
  struct transferred {
    std::size_t count = 0;
    fault why_none = fault::none;
  };
  // When an end learns that the connection is dead. Nothing: not before it writes, or until TCP's
  // keep-alive timer runs out.
  using learns_after = std::optional<event_queue::duration>;
  static constexpr event_queue::duration keep_alive = std::chrono::seconds{15};

  virtual_connection(run_state& in, std::uint64_t id, const stream_options& options,
                     simulated_host& connecting, simulated_host& accepting);

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] transferred write_some(end_of_stream e, std::span<const piece> pieces);
  [[nodiscard]] transferred read_some(end_of_stream e, std::span<std::byte> to);
  // Each calls `then` once, from the event queue, unless the end is closed before.
  void wait_readable(end_of_stream e, action then);
  void wait_writable(end_of_stream e, action then);
  // The other end reads the bytes in flight, and then the end of the stream. This end still reads.
  void shutdown_send(end_of_stream e);
  // The same, and this end reads no more.
  void close(end_of_stream e);
  // The other end's kernel has taken all that was written.
  [[nodiscard]] bool acknowledged(end_of_stream e) const noexcept;
  // Returns the bytes that are not. The end of the stream counts as one.
  [[nodiscard]] std::size_t unacknowledged(end_of_stream e) const noexcept;
  // Returns whether this end has learnt that the connection is dead.
  [[nodiscard]] bool lost(end_of_stream e) const noexcept { return at(e).lost; }

  // Kills the connection: bytes in flight are lost.
  void cut(learns_after connecting, learns_after accepting);
  // Kills the connection when the kernel at `from` has taken this number of bytes. The kernel
  // takes no more.
  void cut_when_taken(end_of_stream from, std::size_t bytes) { at(from).taken_limit = bytes; }
  // Kills the connection when this number of bytes from `from` have arrived. Bytes that the
  // kernel has taken beyond this number are lost.
  void cut_when_arrived(end_of_stream from, std::size_t bytes) { at(from).arrive_limit = bytes; }

  // Blocks everything that is sent from this end, or unblocks it, with everything held back.
  void hold_back(end_of_stream from, bool held);
  [[nodiscard]] const simulated_host& host(end_of_stream e) const noexcept { return *at(e).host; }

  // Removes the planned deaths of the connection.
  void spare() noexcept {
    for (auto& e : ends_) {
      e.taken_limit = e.arrive_limit = unlimited;
    }
  }

  [[nodiscard]] bool is_cut() const noexcept { return cut_; }
  // Bytes that the kernel at `from` has taken.
  [[nodiscard]] std::size_t taken(end_of_stream from) const noexcept { return at(from).taken; }
  // Returns the bytes that the other end's kernel has acknowledged to the one at `from`.
  [[nodiscard]] std::size_t reached(end_of_stream from) const noexcept { return at(from).known; }
  // Bytes flow in both directions.
  [[nodiscard]] bool alive() const noexcept;
  // Both ends are closed.
  [[nodiscard]] bool over() const noexcept { return ends_[0].closed && ends_[1].closed; }

private:
  static constexpr auto unlimited = std::numeric_limits<std::size_t>::max();
  // arrive(), arrive_end() or learn(), and with which end: nothing that would keep the stream.
  struct happening {
    void (virtual_connection::*what)(end_of_stream);
    end_of_stream with;
  };

  struct end {
    simulated_host* host = nullptr;
    bool shut = false;  // sends no more
    bool closed = false;
    bool lost = false;  // has learnt that the connection is dead
    bool will_learn = false;
    action on_readable;
    action on_writable;

    // The direction away from this end.
    std::deque<std::string> under_way;
    event_queue::time_point last_arrival{};
    std::string arrived;  // at the other end, and not read
    std::size_t unread_from = 0;
    std::size_t taken = 0;
    std::size_t reached = 0;
    std::size_t known = 0;  // bytes of `reached` known at this end
    std::size_t read = 0;
    std::size_t taken_limit = unlimited;
    std::size_t arrive_limit = unlimited;
    bool ended = false;  // its end has arrived at the other end
    bool held_back = false;
    std::vector<happening> kept_back;  // events that would have happened at the other end
  };

  [[nodiscard]] end& at(end_of_stream e) noexcept { return ends_[static_cast<std::size_t>(e)]; }
  [[nodiscard]] const end& at(end_of_stream e) const noexcept {
    return ends_[static_cast<std::size_t>(e)];
  }
  [[nodiscard]] std::size_t room(end_of_stream from) const noexcept;
  [[nodiscard]] std::size_t waiting(end_of_stream e) const noexcept;
  [[nodiscard]] bool readable(end_of_stream e) const noexcept;
  [[nodiscard]] bool writable(end_of_stream e) const noexcept;
  [[nodiscard]] event_queue::time_point next_arrival(end& from);
  void send(end_of_stream from, std::string bytes);
  void arrive(end_of_stream from);
  void arrive_end(end_of_stream from);
  void learn_after(end_of_stream e, event_queue::duration wait);
  void learn(end_of_stream e);
  [[nodiscard]] bool keep_back(end_of_stream from, happening what);
  void wake(end_of_stream e);
  void later(end_of_stream e, action then);
  void note(std::string_view what, end_of_stream e, std::size_t figure = 0);

  run_state* state_;
  std::uint64_t id_;
  stream_options options_;
  bool cut_ = false;
  std::array<end, 2> ends_;
};

}  // namespace zmtp::simulation
