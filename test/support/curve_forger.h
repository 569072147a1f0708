#pragma once
// The peers of a CURVE handshake, written from RFC 26. They can do everything wrong.

#include "test/support/fixed_random.h"
#include "test/support/wire.h"
#include "zmtp/curve/box.h"
#include "zmtp/curve/key.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zmtp::test {

inline std::string text_of(const curve_public_key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

inline std::string boxed(std::string_view content, const curve::nonce& n,
                         const curve::box_key& key) {
  std::string box(content.size() + curve::box_overhead, '\0');
  curve::seal(std::as_writable_bytes(std::span{box}), std::as_bytes(std::span{content}), n, key);
  return box;
}

inline std::string unboxed(std::string_view box, const curve::nonce& n, const curve::box_key& key) {
  std::string content(box.size() - curve::box_overhead, '\0');
  if (!curve::open(std::as_writable_bytes(std::span{content}), std::as_bytes(std::span{box}), n,
                   key)) {
    throw std::runtime_error{"curve_forger: the box does not open"};
  }
  return content;
}

inline curve::nonce long_nonce(std::string_view prefix, std::string_view bytes) {
  return curve::make_nonce(prefix, std::as_bytes(std::span{bytes}).first<16>());
}

// Bodies of the commands of a client. Each member is the value that the specification demands.
struct curve_forger {
  static const curve_key_pair& server_keys() {
    static const auto keys = make_key_pair(fixed_random(100));
    return keys;
  }
  static const curve_key_pair& client_keys() {
    static const auto keys = make_key_pair(fixed_random(200));
    return keys;
  }

  curve_key_pair transient = make_key_pair(fixed_random(400));
  curve_key_pair permanent = client_keys();
  curve_public_key claimed = client_keys().public_key;
  curve_public_key vouched = transient.public_key;
  curve_public_key vouched_server = server_keys().public_key;
  std::string version = bytes("01 00");
  std::uint64_t hello_nonce = 1;
  std::uint64_t initiate_nonce = 2;
  std::string properties = property("Socket-Type", "PUSH");

  [[nodiscard]] std::string hello() const {
    const auto key = curve::shared_key(server_keys().public_key, transient.secret_key);
    return bytes("05 'HELLO'") + version + bytes("00*72") + text_of(transient.public_key) +
           big_endian(hello_nonce, 8) +
           boxed(std::string(64, '\0'), curve::make_nonce("CurveZMQHELLO---", hello_nonce), *key);
  }
  // Answers the WELCOME of the server.
  [[nodiscard]] std::string initiate(std::string_view welcome) const {
    const auto key = curve::shared_key(server_keys().public_key, transient.secret_key);
    const auto content =
        unboxed(welcome.substr(24), long_nonce("WELCOME-", welcome.substr(8, 16)), *key);
    const auto server = server_in(content);
    const std::string vouch_nonce(16, 'v');
    const auto vouch_key = curve::shared_key(server, permanent.secret_key);
    const auto inside = text_of(claimed) + vouch_nonce +
                        boxed(text_of(vouched) + text_of(vouched_server),
                              long_nonce("VOUCH---", vouch_nonce), *vouch_key) +
                        properties;
    const auto traffic = curve::shared_key(server, transient.secret_key);
    return bytes("08 'INITIATE'") + content.substr(32) + big_endian(initiate_nonce, 8) +
           boxed(inside, curve::make_nonce("CurveZMQINITIATE", initiate_nonce), *traffic);
  }

private:
  static curve_public_key server_in(std::string_view welcome) {
    curve_public_key key;
    std::memcpy(key.data(), welcome.data(), key.size());
    return key;
  }
};

// Returns the READY of a server that has these keys in its WELCOME.
inline std::string forged_ready(const curve_public_key& client, const curve_key_pair& transient,
                                std::string_view properties) {
  const auto key = curve::shared_key(client, transient.secret_key);
  return bytes("05 'READY'") + big_endian(1, 8) +
         boxed(properties, curve::make_nonce("CurveZMQREADY---", 1), *key);
}

// Returns the WELCOME of a server, with a cookie that means nothing.
inline std::string forged_welcome(const curve_public_key& client, const curve_key_pair& transient) {
  const auto key = curve::shared_key(client, curve_forger::server_keys().secret_key);
  const std::string nonce(16, 'w');
  return bytes("07 'WELCOME'") + nonce +
         boxed(text_of(transient.public_key) + std::string(96, 'c'), long_nonce("WELCOME-", nonce),
               *key);
}

}  // namespace zmtp::test
