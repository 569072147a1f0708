#pragma once
// PUB: sends each message to all SUB peers with a matching subscription. Public type over
// zmtp/routing/pub_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/publishing.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// Sending never waits. A subscriber with a full queue misses messages, and the socket counts them.
// With socket_options::no_drop, sending waits for the slowest subscriber instead. With
// disconnect_slow, the socket disconnects a subscriber that is too slow.
//
// Thread safety, executor and lifetime: see zmtp::socket.
class pub_socket : public publishing<sending<socket>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit pub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option.
  pub_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
