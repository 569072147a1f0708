#pragma once
// The CURVE keys of a server and of two clients, of which it admits one.

#include "zmtp/authenticators/authenticator_function.h"
#include "zmtp/curve/key.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/options.h"
#include "zmtp/runtime/runtime.h"

#include <memory>
#include <span>
#include <variant>

namespace zmtp::test {

class guest_list {
public:
  [[nodiscard]] socket_options server() const {
    socket_options options;
    options.security = curve_server({.keys = server_});
    options.authenticator = make_authenticator(
        [alice = alice_.public_key, refused = refused_](
            const peer_info&, const credentials& shown) -> authenticator::verdict {
          const auto* const curve = std::get_if<curve_credentials>(&shown);
          if (curve != nullptr && curve->public_key == alice) {
            return authenticator::principal{.user_id = "alice"};
          }
          ++*refused;
          return authenticator::refusal{.status = "400"};
        });
    return options;
  }
  // The client that the server admits, and the one that it refuses.
  [[nodiscard]] socket_options alice() const { return with(alice_, server_.public_key); }
  [[nodiscard]] socket_options mallory() const { return with(mallory_, server_.public_key); }
  // The keys of alice, and the key of another server.
  [[nodiscard]] socket_options misled() const { return with(alice_, mallory_.public_key); }

  // Number of handshakes with a key that the server does not admit.
  [[nodiscard]] int refused() const noexcept { return *refused_; }

private:
  static curve_key_pair draw() {
    return make_key_pair([](std::span<std::byte> to) { runtime::system().random(to); });
  }
  static socket_options with(const curve_key_pair& own, const curve_public_key& server) {
    socket_options options;
    options.security = curve_client({.server_key = server, .keys = own});
    return options;
  }

  const curve_key_pair server_ = draw();
  const curve_key_pair alice_ = draw();
  const curve_key_pair mallory_ = draw();
  std::shared_ptr<int> refused_ = std::make_shared<int>(0);
};

}  // namespace zmtp::test
