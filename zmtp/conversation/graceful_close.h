#pragma once
// The graceful close of a conversation whose socket closes. The socket writes its queue and closes
// its end of the stream. It drops received bytes, and waits until the peer has read everything.

#include <chrono>
#include <cstddef>
#include <optional>

namespace zmtp {

class graceful_close {
public:
  using clock = std::chrono::steady_clock;

  void begin() noexcept { begun_ = true; }
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  // Returns whether the local end of the stream is closed.
  [[nodiscard]] bool shut() const noexcept { return shut_; }

  // Call after a write. `traffic`: the handshake is complete. `more`: the peer could take more
  // output. Returns true once, when the local end of the stream must be closed.
  [[nodiscard]] bool shuts(bool traffic, bool more) noexcept {
    if (!begun_ || shut_ || !traffic || more) {
      return false;
    }
    shut_ = true;
    return true;
  }

  // The result of a read whose bytes are dropped.
  enum class received {
    bytes,    // the peer is alive
    nothing,  // no more data for now
    end,      // the peer closed its end
    failure,  // the connection failed
  };
  enum class verdict {
    stays,        // no change
    closed,       // look() decides whether the peer read everything
    left_unread,  // queued or written data is lost
  };
  [[nodiscard]] verdict on_read(received what) noexcept;
  // Returns false after the peer has closed its end after the local one. The stream then stays
  // readable without data.
  [[nodiscard]] bool listens() const noexcept { return !peer_ended_; }

  enum class outcome {
    read_all,
    left_unread,
    unknown,  // call look() again at next_look(), because TCP does not report acknowledgements
  };
  // Finds out whether a peer that has closed its end read everything.
  // - `send_broken`: the peer took no more bytes.
  // - `reset`: the peer has reset the connection.
  // - `unacknowledged`: bytes that the peer has not acknowledged.
  [[nodiscard]] outcome look(clock::time_point now, bool send_broken, bool reset,
                             std::size_t unacknowledged) noexcept;
  // The time of the next look() after an unknown outcome.
  [[nodiscard]] std::optional<clock::time_point> next_look() const noexcept { return next_look_; }

private:
  bool begun_ = false;
  bool shut_ = false;
  bool peer_ended_ = false;
  clock::duration pause_{};  // between the last two calls of look()
  std::optional<clock::time_point> next_look_;
};

}  // namespace zmtp
