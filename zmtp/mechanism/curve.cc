#include "zmtp/mechanism/curve.h"

#include "zmtp/curve/box.h"
#include "zmtp/mechanism/curve_client.h"
#include "zmtp/mechanism/curve_server.h"

#include <memory>
#include <utility>

namespace zmtp {

namespace {

void check(const curve_key_pair& keys, std::string_view where) {
  if (public_key_of(keys.secret_key) != keys.public_key) {
    refuse({"keys", "must be a public key and its secret key"}, where);
  }
}

}  // namespace

custom_security curve_client(const curve_client_options& options) {
  check(options.keys, "curve_client");
  if (!curve::shared_key(options.server_key, options.keys.secret_key)) {
    refuse({"server_key", "must be the public key of a server"}, "curve_client");
  }
  return {.make = [keys = std::make_shared<const curve_client_options>(options)](
                      handshake_role, metadata own, const limits& limit,
                      const random_bytes& random) -> std::unique_ptr<mechanism> {
    return std::make_unique<curve_client_mechanism>(keys, std::move(own), limit, random);
  }};
}

custom_security curve_server(const curve_server_options& options) {
  check(options.keys, "curve_server");
  return {.make = [keys = std::make_shared<const curve_key_pair>(options.keys)](
                      handshake_role, metadata own, const limits& limit,
                      const random_bytes& random) -> std::unique_ptr<mechanism> {
            return std::make_unique<curve_server_mechanism>(keys, std::move(own), limit, random);
          },
          .needs_authenticator = !options.allow_any_client};
}

}  // namespace zmtp
