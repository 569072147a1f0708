#pragma once
// A certificate and its key that both ends of a measurement know.

#include <string>

namespace bench {

// The name in the certificate.
inline constexpr auto tls_name = "bench";

// Returns the path of a PEM file. The end of the process removes the file.
const std::string& tls_file();

}  // namespace bench
