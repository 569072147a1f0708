#pragma once
// Options of sockets with PLAIN and CURVE. The servers admit only alice.

#include "test/support/fixed_random.h"
#include "test/support/pattern_test.h"
#include "zmtp/authenticators/allowed_keys.h"
#include "zmtp/authenticators/authenticator_function.h"
#include "zmtp/curve/key.h"
#include "zmtp/mechanism/curve.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace zmtp::test {

inline const auto server_keys = make_key_pair(fixed_random(100));
inline const auto client_keys = make_key_pair(fixed_random(200));
inline const auto other_keys = make_key_pair(fixed_random(300));

inline socket_options client_of(const curve_public_key& server,
                                const curve_key_pair& keys = client_keys) {
  auto options = impatient();
  options.security = curve_client({.server_key = server, .keys = keys});
  return options;
}
inline socket_options client_of_curve() { return client_of(server_keys.public_key); }

inline socket_options server_of_curve() {
  auto options = impatient();
  options.security = curve_server({.keys = server_keys});
  const auto keys = std::make_shared<allowed_keys>();
  keys->allow(client_keys.public_key, "alice");
  options.authenticator = keys;
  return options;
}

inline socket_options plain_client_options(std::string password = "secret") {
  auto options = impatient();
  options.security = plain_client_security{"alice", std::move(password)};
  return options;
}
inline socket_options plain_server_options() {
  auto options = impatient();
  options.security = plain_server_security{};
  options.authenticator =
      make_authenticator([](const peer_info&, const credentials& shown) -> authenticator::verdict {
        const auto& plain = std::get<plain_credentials>(shown);
        if (plain.password == "secret") {
          return authenticator::principal{.user_id = plain.username};
        }
        return authenticator::refusal{.status = "400"};
      });
  return options;
}

}  // namespace zmtp::test
