#pragma once
// The security mechanisms that a socket can be configured for.

#include "zmtp/mechanism/mechanism.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"

#include <cstdint>
#include <memory>

namespace zmtp {

enum class handshake_role : std::uint8_t {
  connecting,  // sends its first command without waiting
  accepting,   // tells the peer that it is admitted, so that a rejected peer loses no messages
};

// Makes one side of a handshake. `own` is the metadata for the peer.
[[nodiscard]] std::unique_ptr<mechanism> make_mechanism(const security_options& security,
                                                        handshake_role role, metadata own,
                                                        const limits& limit);

}  // namespace zmtp
