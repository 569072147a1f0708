#pragma once
// The end of a conversation whose socket closes: what is queued is written, our end of the stream closed,
// and the peer listened to no longer, but waited for until it has read to the end.

#include <chrono>
#include <cstddef>
#include <optional>

namespace zmtp {

class parting {
public:
  using clock = std::chrono::steady_clock;

  void begin() noexcept { begun_ = true; }
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  // Our end of the stream is closed.
  [[nodiscard]] bool shut() const noexcept { return shut_; }

  // After a write. `traffic`: the handshake is over; `more`: there is something to write that the peer
  // could take. True, once, if our end of the stream is to be closed now.
  [[nodiscard]] bool shuts(bool traffic, bool more) noexcept {
    if (!begun_ || shut_ || !traffic || more) {
      return false;
    }
    shut_ = true;
    return true;
  }

  // What a read brought, whose octets nobody wants.
  enum class heard {
    octets,   // it lives
    nothing,  // that there is, for now
    end,      // it has closed its end
    failure,  // the connection is gone
  };
  enum class verdict {
    stays,        // as it is
    closed,       // judge() whether it read to the end
    left_unread,  // something that was queued, or was written, has been lost
  };
  [[nodiscard]] verdict on_read(heard what) noexcept;
  // False once the peer has closed its end after ours: the stream stays readable, and brings nothing.
  [[nodiscard]] bool listens() const noexcept { return !peer_ended_; }

  enum class outcome {
    read_all,
    left_unread,
    unknown,  // judge again at next_look(): TCP does not report acknowledgements
  };
  // Judges a peer that has closed its end.
  // - `deaf`: the peer took no more bytes.
  // - `reset`: the peer has reset the connection.
  // - `unacknowledged`: bytes that the peer has not acknowledged.
  [[nodiscard]] outcome judge(clock::time_point now, bool deaf, bool reset,
                              std::size_t unacknowledged) noexcept;
  // The time of the next judge(), after an unknown outcome.
  [[nodiscard]] std::optional<clock::time_point> next_look() const noexcept { return next_look_; }

private:
  bool begun_ = false;
  bool shut_ = false;
  bool peer_ended_ = false;
  clock::duration pause_{};  // between the last two looks
  std::optional<clock::time_point> next_look_;
};

}  // namespace zmtp
