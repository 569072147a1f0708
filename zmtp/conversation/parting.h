#pragma once
// The end of a conversation whose socket closes: what is queued is written, our end of the stream closed,
// and the peer listened to no longer, but waited for until it has read to the end.

#include <cstddef>

namespace zmtp {

class parting {
public:
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
  [[nodiscard]] verdict on_read(heard what) const noexcept;

  enum class outcome {
    read_all,
    left_unread,
    unknown,  // judge again in a while: of acknowledgements TCP tells nobody
  };
  // Of a peer that has closed. `deaf`: it took no more octets; `reset`: it has reset the connection;
  // `unacknowledged`: octets that it has not acknowledged.
  [[nodiscard]] static outcome judge(bool deaf, bool reset, std::size_t unacknowledged) noexcept;

private:
  bool begun_ = false;
  bool shut_ = false;
};

}  // namespace zmtp
