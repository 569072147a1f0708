#pragma once
// PUB: sends each message to the SUB peers whose topics it begins with. Face of
// zmtp/routing/pub_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/publishing.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// Sending never waits: a subscriber whose queue is full misses messages, which is counted. With
// socket_options::no_drop sending waits for the slowest instead; with disconnect_slow who is too slow is
// disconnected instead.
class pub_socket : public publishing<sending<socket>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit pub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  pub_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
