#pragma once
// XPUB: PUB whose user receives what its peers subscribe to and say, and may send to one of them. Face of
// zmtp/routing/xpub_state.h.

#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/addressing.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

#include <string_view>

namespace zmtp {

class last_values;
class xpub_state;

// Sends to all as PUB does. Receives, with the peer beside it, each subscription as one part that begins
// with the octet 1, each end of one with the octet 0, and the topic behind it; of which of them,
// socket_options::xpub says. When a peer goes, its topics that no other has end, before its detach. All
// else that peers say is received as it comes. Who does not receive keeps peers from subscribing, once so
// much waits that the receive mark is reached.
class xpub_socket : public sending<addressing<receiving<socket, routed_message>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit xpub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  xpub_socket(asio::any_io_executor executor, const socket_options& options);

  using addressing::async_send;
  using addressing::async_wait_writable;
  using addressing::try_send;
  using sending::async_send;
  using sending::async_wait_writable;
  using sending::try_send;

  // With xpub_options::manual: this peer is sent what begins with `topic`, or no longer.
  // Errors: errc::host_unreachable (there is no such peer), bad_option (not manual).
  void subscribe(peer_id peer, std::string_view topic, error_code& ec);
  void cancel(peer_id peer, std::string_view topic, error_code& ec);

  // What is kept with xpub_options::last_values; nothing without, or before the first message. Valid until
  // the socket's options change.
  [[nodiscard]] const zmtp::last_values* last_values() const noexcept;

private:
  xpub_state* state_;
};

}  // namespace zmtp
