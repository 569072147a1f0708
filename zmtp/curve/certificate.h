#pragma once
// The text form of a key or a key pair: the certificate files of CZMQ (zcert) and pyzmq. Pure.

#include "zmtp/curve/key.h"
#include "zmtp/peer.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace zmtp {

// The certificate of a peer has a public key. The one that its owner keeps also has the secret key.
struct curve_certificate {
  curve_public_key public_key{};
  std::optional<curve_secret_key> secret_key{};
  // Facts for people and programs, such as a name. They are not signed.
  std::vector<std::pair<std::string, std::string>> metadata{};
};

// Why a text is not a certificate.
struct certificate_fault {
  std::size_t line = 0;  // counted from 1; 0: the text as a whole
  std::string what;      // "fault; remedy"
};

// Reads ZPL (RFC 4): sections `metadata` and `curve`, in which each line is `name = "value"`. Other
// sections are ignored.
[[nodiscard]] std::variant<curve_certificate, certificate_fault> parse_certificate(
    std::string_view text);

// Returns the text for the secret file if there is a secret key, and for the public file otherwise.
// Names and values must pass is_metadata().
[[nodiscard]] std::string to_text(const curve_certificate& certificate);
// Returns whether a certificate can contain this: the name has only letters, digits and -_./, and
// the value neither a quote, a line break nor a control character.
[[nodiscard]] bool is_metadata(std::string_view name, std::string_view value) noexcept;

}  // namespace zmtp
