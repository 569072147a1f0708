#pragma once
// The options for the certificates of tls+tcp:// and wss://, which are a part of those for security.

#include "zmtp/options.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

// Adds the options to `group`, which writes their values to `to`. `to` outlives `group`.
void add_tls(CLI::App& group, zmtp::tls_options& to);

// Refuses options that contradict each other or have no effect, files that a socket could not load, and a
// bound endpoint without a certificate. Warns if others may read the key.
// Throws: CLI::ValidationError.
void check_tls(const zmtp::tls_options& options, const std::vector<std::string>& bound,
               const std::vector<std::string>& connected);

// Returns whether the endpoint has TLS.
[[nodiscard]] bool has_tls(std::string_view endpoint);

}  // namespace zinc
