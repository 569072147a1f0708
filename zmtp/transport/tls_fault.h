#pragma once
// The faults of OpenSSL as those of Zinc.

#include "zmtp/error.h"

namespace zmtp::transport {

// Takes the fault from OpenSSL's queue of this thread. `verified` is the result of the check of the
// peer's certificate (X509_V_…).
[[nodiscard]] error_code take_tls_fault(long verified) noexcept;

}  // namespace zmtp::transport
