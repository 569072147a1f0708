#pragma once
// The upgrade of an HTTP connection to WebSocket with ZWS 2.0 (RFC 6455 section 4, RFC 45). Bytes in
// and bytes out, without I/O.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/framing/websocket_frame.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::transport {

inline constexpr std::size_t max_upgrade_size = 8 * 1024;

// The offer of a client, or the conditions of a server.
struct upgrade_terms {
  ws_address at{};                     // a server compares the path
  std::string mechanism{};             // the local socket's: NULL, PLAIN …
  std::vector<std::string> origins{};  // web pages from there may connect; "*": all
};

// Returns the size of the request or response at the start of `bytes`, which the peer of `own` has
// sent, or 0 if it is not complete.
// Errors: errc::bad_upgrade, if it is not HTTP, or longer than max_upgrade_size.
[[nodiscard]] result<std::size_t> upgrade_size(std::string_view bytes, websocket::side own);

// A sub-protocol of ZWS: with the mechanism of the local socket, or ZWS2.0, which has none and
// stands for NULL.
enum class sub_protocol : std::uint8_t { with_mechanism, without_mechanism };

struct upgrade_answer {
  std::string response{};
  error_code fault{};  // the connection must end after the response
  // A web server at this port would answer: the path is another one, or this is a plain request.
  bool for_others = false;
  sub_protocol chosen = sub_protocol::with_mechanism;
};

// The server's side. Prefers the sub-protocol with a mechanism if both sides have both.
// Faults: errc::bad_upgrade, foreign_origin, mechanism_mismatch.
[[nodiscard]] upgrade_answer answer_upgrade(std::string_view request, const upgrade_terms& own);

// The client's side.
class upgrade_client {
public:
  using nonce = std::array<std::byte, 16>;

  // `random` cannot be predicted.
  explicit upgrade_client(const nonce& random);

  [[nodiscard]] std::string request(const upgrade_terms& own) const;
  // Errors: errc::bad_upgrade, upgrade_refused.
  [[nodiscard]] result<sub_protocol> on_response(std::string_view response,
                                                 const upgrade_terms& own) const;

private:
  std::string key_;
};

}  // namespace zmtp::transport
