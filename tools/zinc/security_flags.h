#pragma once
// The options that every subcommand with sockets has for the security of its connections.

#include "zmtp/options.h"
#include "zmtp/peer.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

// The words of the command line. Secrets are in the files.
struct security_arguments {
  std::string server_key;  // 40 characters, or a file
  std::string secret_file;
  std::string authorized_keys;
  bool allow_any_client = false;
  std::string plain_user;
  std::string plain_password_file;
  std::string plain_users;
  std::vector<std::string> websocket_origins;
  zmtp::tls_options tls;
  std::string peer_key;  // as server_key, for a server of a pair
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_security(CLI::App& app, security_arguments& to);
// Adds --peer-key in the same way, for the servers of a pair.
void add_peer_key(CLI::App& app, security_arguments& to);

// The use of the sockets of a subcommand.
struct socket_use {
  // Endpoints.
  std::vector<std::string> bound{};
  std::vector<std::string> connected{};

  [[nodiscard]] bool connects() const noexcept { return !connected.empty(); }
};
// Options of the sockets that bind, which are servers, and of those that connect.
struct secured_sockets {
  zmtp::socket_options bound{};
  zmtp::socket_options connected{};
  std::optional<zmtp::curve_public_key> peer_key{};  // given as --peer-key
};

// Reads the files. Writes a warning to standard error if others may read a secret file, and if the
// network can reach an endpoint without encryption.
// Throws: CLI::ValidationError, which names the option, the fault and the remedy.
[[nodiscard]] secured_sockets read_security(const security_arguments& arguments,
                                            const socket_use& use);

// Returns whether only processes of this machine can connect to this endpoint.
[[nodiscard]] bool is_local(const std::string& endpoint);

}  // namespace zinc
