#pragma once
// The security mechanisms that a socket can be configured for.

#include "zmtp/mechanism/mechanism.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"

#include <memory>

namespace zmtp {

// Makes one side of a handshake. `own` is the metadata for the peer. Mechanisms draw nonces and the
// keys of the connection from `random`.
[[nodiscard]] std::unique_ptr<mechanism> make_mechanism(const security_options& security,
                                                        handshake_role role, metadata own,
                                                        const limits& limit,
                                                        const random_bytes& random);

}  // namespace zmtp
