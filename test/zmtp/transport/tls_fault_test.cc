#include "zmtp/transport/tls_fault.h"

#include <gtest/gtest.h>
#include <openssl/asn1err.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <initializer_list>

namespace zmtp::transport {
namespace {

// The fault of these errors, in the order in which OpenSSL met them.
struct raised {
  int library;
  int reason;
};
error_code fault_of(std::initializer_list<raised> errors, long verified = X509_V_OK) {
  ERR_clear_error();
  for (const auto& [library, reason] : errors) {
    ERR_raise(library, reason);
  }
  return take_tls_fault(verified);
}

TEST(tls_fault, is_that_of_the_first_error_of_the_library_of_tls) {
  EXPECT_EQ(fault_of({{ERR_LIB_SSL, SSL_R_WRONG_VERSION_NUMBER}}), errc::not_tls);
  EXPECT_EQ(fault_of({{ERR_LIB_SSL, SSL_R_CERTIFICATE_VERIFY_FAILED}}, X509_V_ERR_CERT_HAS_EXPIRED),
            errc::certificate_expired);
  EXPECT_EQ(fault_of({{ERR_LIB_SSL, SSL_AD_REASON_OFFSET + SSL_AD_UNKNOWN_CA}}),
            errc::certificate_refused);
  EXPECT_EQ(fault_of({{ERR_LIB_SSL, SSL_AD_REASON_OFFSET + SSL_AD_ACCESS_DENIED}}),
            errc::tls_refused);
  EXPECT_EQ(fault_of({}), errc::bad_tls);
  EXPECT_EQ(ERR_peek_error(), 0U) << "nothing is left for another user of OpenSSL";
}

// Each library counts its reasons from 100.
TEST(tls_fault, ignores_the_reasons_of_other_libraries) {
  static_assert(ASN1_R_TOO_LONG == SSL_R_HTTPS_PROXY_REQUEST);
  EXPECT_EQ(fault_of({{ERR_LIB_ASN1, ASN1_R_TOO_LONG}, {ERR_LIB_SSL, ERR_R_ASN1_LIB}}),
            errc::bad_tls);
  EXPECT_EQ(fault_of({{ERR_LIB_X509, 100}, {ERR_LIB_SSL, SSL_R_CERTIFICATE_VERIFY_FAILED}},
                     X509_V_ERR_HOSTNAME_MISMATCH),
            errc::certificate_name_wrong);
}

TEST(tls_fault, takes_an_internal_error_for_no_alert) {
  EXPECT_EQ(fault_of({{ERR_LIB_SSL, ERR_R_INTERNAL_ERROR}}), errc::bad_tls);
  EXPECT_EQ(fault_of({{ERR_LIB_ASN1, ERR_R_MALLOC_FAILURE}, {ERR_LIB_SSL, ERR_R_ASN1_LIB}}),
            errc::out_of_memory);
}

}  // namespace
}  // namespace zmtp::transport
