#pragma once
// Certificates of a test's own, as files in a folder.

#include "zmtp/options.h"

#include <chrono>
#include <memory>
#include <string>

struct evp_pkey_st;
struct x509_st;

namespace zmtp::test {

struct certificate_request {
  std::string common_name{};
  // As in a configuration of OpenSSL: DNS:localhost,IP:127.0.0.1.
  std::string alternative_names{};
  std::chrono::seconds valid_from = -std::chrono::hours{1};  // from now
  std::chrono::seconds valid_until = std::chrono::hours{1};
};

class certificate_authority {
public:
  // Writes its certificate to the file.
  certificate_authority(const std::string& name, std::string file);
  certificate_authority(const certificate_authority&) = delete;
  certificate_authority& operator=(const certificate_authority&) = delete;
  ~certificate_authority();

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  // Writes a certificate and its key into one file, or the key into a file of its own.
  void issue(const certificate_request& what, const std::string& file,
             const std::string& key_file = {}) const;

private:
  std::string file_;
  evp_pkey_st* key_;
  x509_st* certificate_;
};

void write_file(const std::string& path, const std::string& text);

// One authority, a server at 127.0.0.1 and localhost, and a client alice. They are the same for all
// tests of a process, in a folder that goes with it.
[[nodiscard]] const tls_options& tls_of_server();
[[nodiscard]] const tls_options& tls_of_client();
// For a socket that may be either.
[[nodiscard]] socket_options with_tls(socket_options options = {});

}  // namespace zmtp::test
