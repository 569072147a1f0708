#pragma once
// The interface through which a program decides which peers may use its sockets.

#include "zmtp/error.h"
#include "zmtp/metadata.h"
#include "zmtp/peer.h"

#include <boost/asio/any_completion_handler.hpp>

#include <string>
#include <variant>

namespace zmtp {

// Set as socket_options::authenticator. The socket asks it about every peer, on accepted connections
// and on its own, after the peer has identified itself and before any message flows. This is the
// role of ZAP (RFC 27). Peers over inproc are part of the program, so the socket does not ask. With
// NULL, a socket that connects has sent its own properties before it asks. A PLAIN server asks
// before the client has sent its properties.
//
// The decision may take time. Meanwhile the connection counts as a pending handshake:
// limits::handshake_time closes it, and a listener whose places are all taken may evict it after
// limits::handshake_silence. The peer has no routing id, no place in a PAIR and no queue before it
// is accepted, so other peers do not wait for it.
//
// Thread safety: the socket calls authenticate() in its executor. Sockets with different executors
// need an authenticator that is thread-safe.
class authenticator {
public:
  // An accepted peer. Both appear in its peer_info, for the receiver of a message and for monitors.
  struct principal {
    std::string user_id;
    metadata properties{};
  };
  struct refusal {
    // Monitors get this error.
    error_code reason = errc::not_admitted;
    // Three digits for ERROR, such as 400. The peer is not told why if this is empty: the
    // connection closes, and a libzmq peer connects again. Any other text counts as 500.
    std::string status{};
  };
  using verdict = std::variant<principal, refusal>;
  using handler = boost::asio::any_completion_handler<void(verdict)>;

  virtual ~authenticator() = default;

  // Call `done` once, now or later, from any thread. The socket continues in its executor.
  // Destroying `done` refuses the peer. A verdict has no effect after the end of the connection, of
  // the socket or of its execution context. If there is no memory to pass it on, `done` throws
  // std::bad_alloc, and the deadline of the handshake ends the connection.
  //
  // The socket calls this function directly from its executor, not inside another call. So an
  // exception propagates out of `io_context::run()`, and the peer is refused. After std::bad_alloc
  // the peer is refused, and nothing propagates.
  virtual void authenticate(const peer_info& peer, const credentials& shown, handler done) = 0;
};

}  // namespace zmtp
