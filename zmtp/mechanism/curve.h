#pragma once
// CURVE (RFC 26) for socket_options::security. Target //zmtp/mechanism:curve, which links libsodium.

#include "zmtp/curve/key.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"

namespace zmtp {

struct curve_client_options {
  curve_public_key server_key{};  // the client connects only to the owner of this key
  curve_key_pair keys{};          // the client's own
};

struct curve_server_options {
  curve_key_pair keys{};
  // Lets every client in that knows the server's key, whatever its own key. If false, the socket
  // must have an authenticator, such as allowed_keys, to bind or to connect.
  bool allow_any_client = false;
};

// The two sides of CURVE. Either side may bind. All traffic of both directions is encrypted and
// authenticated, and each connection has keys of its own.
// Throw boost::system::system_error: errc::bad_option, if the two keys are not a pair, or if the
// server key cannot be the key of a server.
[[nodiscard]] custom_security curve_client(const curve_client_options& options);
[[nodiscard]] custom_security curve_server(const curve_server_options& options);

}  // namespace zmtp
