#pragma once
// Certificates on disk.

#include "zmtp/curve/certificate.h"

#include <stdexcept>
#include <string>

namespace zmtp {

// The text names the file, the fault and the remedy.
class certificate_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Reads a public or a secret certificate. Throws certificate_error.
[[nodiscard]] curve_certificate load_certificate(const std::string& path);

// Creates `path` without the secret key, and `path`_secret with it, readable only by this user.
// Replaces no file. Throws certificate_error, and then leaves neither of the two.
void save_certificate(const curve_certificate& certificate, const std::string& path);

}  // namespace zmtp
