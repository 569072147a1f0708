#pragma once
// The faults of OpenSSL as those of Zinc.

#include "zmtp/error.h"

namespace zmtp::transport {

// `error` is the first of OpenSSL's queue, and `verified` the result of the check of the peer's
// certificate (X509_V_…).
[[nodiscard]] error_code tls_fault(unsigned long error, long verified) noexcept;

}  // namespace zmtp::transport
