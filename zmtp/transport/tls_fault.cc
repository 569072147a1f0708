#include "zmtp/transport/tls_fault.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace zmtp::transport {

namespace {

errc fault_of_certificate(long verified) noexcept {
  switch (verified) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID: return errc::certificate_expired;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return errc::certificate_name_wrong;
    case X509_V_ERR_OUT_OF_MEM: return errc::out_of_memory;
    default: return errc::certificate_not_trusted;
  }
}

errc fault_of_alert(int alert) noexcept {
  switch (alert) {
    case SSL_AD_NO_CERTIFICATE:
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_CERTIFICATE_REQUIRED: return errc::certificate_refused;
    default: return errc::tls_refused;
  }
}

// `reason` is one of OpenSSL's library of TLS. The other libraries use the same numbers.
errc fault_of_reason(int reason, long verified) noexcept {
  constexpr int last_alert = 255;
  switch (reason) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED: return fault_of_certificate(verified);
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return errc::certificate_missing;
    // The first record has another form, or that of HTTP.
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST: return errc::not_tls;
    default: break;
  }
  const int alert = reason - SSL_AD_REASON_OFFSET;
  return alert >= 0 && alert <= last_alert ? fault_of_alert(alert) : errc::bad_tls;
}

}  // namespace

error_code take_tls_fault(long verified) noexcept {
  while (const auto error = ERR_get_error()) {
    if (ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE) {
      return errc::out_of_memory;
    }
    if (ERR_GET_LIB(error) == ERR_LIB_SSL) {
      return fault_of_reason(ERR_GET_REASON(error), verified);
    }
  }
  return errc::bad_tls;
}

}  // namespace zmtp::transport
