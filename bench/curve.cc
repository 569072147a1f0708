#include "bench/curve.h"

#include "bench/support/curve_keys.h"
#include "zmtp/mechanism/curve.h"

#include <string_view>

namespace bench {

namespace {

zmtp::curve_key_pair pair_of(std::string_view secret_text) {
  const auto secret = zmtp::parse_secret_key(secret_text).value();
  return {.public_key = zmtp::public_key_of(secret), .secret_key = secret};
}

}  // namespace

zmtp::socket_options curve_server() {
  return {.security =
              zmtp::curve_server({.keys = pair_of(curve_server_secret), .allow_any_client = true})};
}

zmtp::socket_options curve_client() {
  return {.security =
              zmtp::curve_client({.server_key = zmtp::parse_public_key(curve_server_public).value(),
                                  .keys = pair_of(curve_client_secret)})};
}

}  // namespace bench
