#pragma once
// One side of a cell of the conformance matrix: a socket of Zinc or libzmq, of any type, with an interface that
// is the same for all of them.

#include "test/interop/two_sides.h"
#include "zmtp/socket_type.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <semaphore>
#include <string>

namespace zmtp::test {

// The implementation of a socket.
enum class maker { ours, theirs };

// The message that a publisher without subscriptions repeats until a subscriber receives it.
inline const parts anybody_there{"is anybody there?"};

class matrix_end {
public:
  matrix_end() = default;
  matrix_end(const matrix_end&) = delete;
  matrix_end& operator=(const matrix_end&) = delete;
  virtual ~matrix_end() = default;

  // Returns the endpoint that can be connected to.
  virtual std::string bind(const std::string& at) = 0;
  virtual void connect(const std::string& to) = 0;

  // A ROUTER sends to the peer that it received from last. Throws if the type cannot send.
  virtual asio::awaitable<void> say(parts m) = 0;
  // The message of a ROUTER does not contain the routing id.
  virtual asio::awaitable<parts> hear() = 0;
  // For a publisher: waits until a peer has subscribed to everything, or has received `anybody_there`.
  virtual asio::awaitable<void> wait_for_subscriber(std::binary_semaphore& received) = 0;
  // Waits until queued messages are delivered without this side.
  virtual asio::awaitable<void> wait_written() = 0;
};

// The part of a socket in the security mechanism.
enum class security_side { unsecured, curve_client, curve_server };

// The keys in the documentation of libzmq (zmq_curve).
inline constexpr const char* server_public_key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
inline constexpr const char* client_public_key = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";

// Clients and servers that know the same keys.
[[nodiscard]] socket_options secured(socket_options options, security_side by);
void secure(libzmq::socket& theirs, security_side by);

// SUB and XSUB have subscribed to everything. A ROUTER that `announces` itself sends an empty part to each new
// peer, as ZMQ_PROBE_ROUTER does. Zinc's socket lives in `executor`; libzmq's blocks its thread.
[[nodiscard]] std::unique_ptr<matrix_end> make_end(maker by, socket_type type, bool announces,
                                                   security_side by_security,
                                                   const asio::any_io_executor& executor,
                                                   libzmq::context& theirs);

}  // namespace zmtp::test
