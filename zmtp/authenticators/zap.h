#pragma once
// Asks a ZAP handler (RFC 27) in the same process.

#include "zmtp/authenticator.h"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace zmtp {

struct zap_options {
  std::string domain{};      // tells the handler which set of rules applies
  std::string routing_id{};  // names the asking socket to the handler
  // Must be less than limits::handshake_time, so that the peer gets an answer.
  std::chrono::milliseconds timeout{3'000};
  // Gets a text with fault and remedy if the handler does not answer, or not in the form of RFC 27.
  // Called in the executor of the authenticator. Must not throw.
  std::function<void(const std::string&)> on_fault{};
};

// Sends each request to the socket that is bound to inproc://zeromq.zap.01 in this process: a REP or
// a ROUTER. The status 200 admits the peer with the user id and the properties of the reply. 300
// closes the connection without a reason, so that the peer tries again, 400 and 500 with ERROR. No
// reply in time and a malformed reply count as 500.
//
// For sockets that are the server of PLAIN or CURVE, and for NULL. Unlike libzmq, asks about NULL
// also without a domain.
//
// Thread safety: safe. Runs in `executor`, in which at most one thread may run at a time.
[[nodiscard]] std::shared_ptr<authenticator> make_zap_authenticator(
    boost::asio::any_io_executor executor, const zap_options& options = {});

}  // namespace zmtp
