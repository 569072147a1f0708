#pragma once
// Authenticators that call a function of the application.

#include "zmtp/authenticator.h"
#include "zmtp/peer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>

namespace zmtp {

// Calls the function in the executor of the socket. Its result is the answer. The function must not
// be empty.
[[nodiscard]] std::shared_ptr<authenticator> make_authenticator(
    std::function<authenticator::verdict(const peer_info&, const credentials&)> decide);

// Starts a coroutine in `executor` for each peer. It may take the time that the handshake has left
// (limits::handshake_time), and many may run at once. An exception refuses the peer, and is passed
// on to the run() of the context.
[[nodiscard]] std::shared_ptr<authenticator> make_authenticator(
    boost::asio::any_io_executor executor,
    std::function<boost::asio::awaitable<authenticator::verdict>(peer_info, credentials)> decide);

}  // namespace zmtp
