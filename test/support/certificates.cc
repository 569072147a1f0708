#include "test/support/certificates.h"

#include "test/support/scratch_folder.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace zmtp::test {

namespace {

void require(bool holds) {
  if (!holds) {
    throw std::runtime_error{"OpenSSL cannot make a certificate of a test"};
  }
}

// All its signatures have one size, so that the sizes of records in a simulation follow from its seed.
EVP_PKEY* new_key() {
  auto* const key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  require(key != nullptr);
  return key;
}

void add_extension(X509* to, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  auto* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  require(extension != nullptr && X509_add_ext(to, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

X509* new_certificate(const certificate_request& what, EVP_PKEY* key, X509_NAME* issuer) {
  static long serial = 0;
  auto* const made = X509_new();
  require(made != nullptr);
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made), what.valid_from.count());
  X509_gmtime_adj(X509_getm_notAfter(made), what.valid_until.count());
  if (!what.common_name.empty()) {
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(what.common_name.data()),
                               static_cast<int>(what.common_name.size()), -1, 0);
  }
  X509_set_issuer_name(made, issuer != nullptr ? issuer : X509_get_subject_name(made));
  X509_set_pubkey(made, key);
  return made;
}

// Appends to the file.
template <class Write>
void append_to(const std::string& path, const Write& write) {
  auto* const file = std::fopen(path.c_str(), "a");
  require(file != nullptr);
  const int written = write(file);
  std::fclose(file);
  require(written == 1);
}

struct common_files {
  common_files() {
    ca.issue({.common_name = "server", .alternative_names = "DNS:localhost,IP:127.0.0.1,IP:::1"},
             folder.path("server.pem"));
    ca.issue({.common_name = "alice"}, folder.path("alice.pem"));
    server = {.certificate = folder.path("server.pem"), .trusted = ca.file()};
    client = {.certificate = folder.path("alice.pem"), .trusted = ca.file()};
  }

  scratch_folder folder;
  certificate_authority ca{"authority of a test", folder.path("ca.pem")};
  tls_options server;
  tls_options client;
};

const common_files& common() {
  static const common_files all;
  return all;
}

}  // namespace

certificate_authority::certificate_authority(const std::string& name, std::string file)
    : file_{std::move(file)},
      key_{new_key()},
      certificate_{new_certificate({.common_name = name}, key_, nullptr)} {
  add_extension(certificate_, certificate_, NID_basic_constraints, "critical,CA:TRUE");
  require(X509_sign(certificate_, key_, nullptr) != 0);
  append_to(file_, [&](std::FILE* to) { return PEM_write_X509(to, certificate_); });
}

certificate_authority::~certificate_authority() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

void certificate_authority::issue(const certificate_request& what, const std::string& file,
                                  const std::string& key_file) const {
  auto* const key = new_key();
  auto* const made = new_certificate(what, key, X509_get_subject_name(certificate_));
  if (!what.alternative_names.empty()) {
    add_extension(made, certificate_, NID_subject_alt_name, what.alternative_names);
  }
  require(X509_sign(made, key_, nullptr) != 0);
  std::remove(file.c_str());
  std::remove(key_file.c_str());
  append_to(file, [&](std::FILE* to) { return PEM_write_X509(to, made); });
  append_to(key_file.empty() ? file : key_file, [&](std::FILE* to) {
    return PEM_write_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
  X509_free(made);
  EVP_PKEY_free(key);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream{path, std::ios::trunc} << text;
}

const tls_options& tls_of_server() { return common().server; }
const tls_options& tls_of_client() { return common().client; }

socket_options with_tls(socket_options options) {
  options.transport.tls = tls_of_server();
  return options;
}

}  // namespace zmtp::test
