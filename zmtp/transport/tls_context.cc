#include "zmtp/transport/tls_context.h"

#include <boost/asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

namespace zmtp::transport {

namespace {

using websocket::side;

// The form of ALPN (RFC 7301): the length before each name.
constexpr std::string_view zmtp_protocol{"\x06zmtp/3"};
constexpr std::string_view http_protocol{"\x08http/1.1"};

const unsigned char* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// A client that offers protocols must offer the one of this server.
int choose_protocol(ssl_st*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void* own) {
  const auto& protocol = *static_cast<const std::string_view*>(own);
  unsigned char* found = nullptr;
  const auto outcome =
      SSL_select_next_proto(&found, size, bytes_of(protocol),
                            static_cast<unsigned>(protocol.size()), offered, offered_size);
  *chosen = found;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// OpenSSL would ask for a password at the terminal.
int no_password(char*, int, int, void*) { return -1; }

// Nothing is resumed: a resumed session would skip the check of a certificate, and tickets take
// memory. A peer cannot renegotiate. An idle connection has no buffers.
void set_safe_defaults(ssl_ctx_st* made) {
  SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(made, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(made, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_num_tickets(made, 0);
  SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(made, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(made, 1);
  SSL_CTX_set_default_passwd_cb(made, no_password);
}

error_code load_own(ssl_ctx_st* made, const tls_options& options) {
  if (SSL_CTX_use_certificate_chain_file(made, options.certificate.c_str()) != 1) {
    return errc::bad_certificate_file;
  }
  const auto& key = options.private_key.empty() ? options.certificate : options.private_key;
  if (SSL_CTX_use_PrivateKey_file(made, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool foreign = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ||
                         ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_TYPE_MISMATCH;
    return foreign ? errc::foreign_key : errc::bad_key_file;
  }
  // OpenSSL keeps a key of another type beside the certificate, for one that might follow.
  return SSL_CTX_check_private_key(made) == 1 ? error_code{} : errc::foreign_key;
}

error_code load_trusted(ssl_ctx_st* made, const std::string& file, side own) {
  if (SSL_CTX_load_verify_file(made, file.c_str()) != 1) {
    return errc::bad_trusted_file;
  }
  if (own == side::server) {
    SSL_CTX_set_client_CA_list(made, SSL_load_client_CA_file(file.c_str()));
  }
  return {};
}

// SNI has names only. An address is compared with the addresses of the certificate.
bool expect_server(ssl_st* made, std::string name) {
  boost::system::error_code not_an_address;
  const auto address = boost::asio::ip::make_address(name, not_an_address);
  if (!not_an_address) {
    const auto expect = [&](const auto& bytes) {
      return X509_VERIFY_PARAM_set1_ip(SSL_get0_param(made), bytes.data(), bytes.size()) == 1;
    };
    return address.is_v4() ? expect(address.to_v4().to_bytes())
                           : expect(address.to_v6().to_bytes());
  }
  if (name.ends_with('.')) {
    name.pop_back();
  }
  // The common name is the user id of a client, which must not be that of a server with this host.
  SSL_set_hostflags(made,
                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return SSL_set1_host(made, name.c_str()) == 1 &&
         SSL_set_tlsext_host_name(made, name.c_str()) == 1;
}

}  // namespace

void tls_deleter::operator()(ssl_ctx_st* of) const noexcept { SSL_CTX_free(of); }
void tls_deleter::operator()(ssl_st* of) const noexcept { SSL_free(of); }

result<std::unique_ptr<tls_context>> tls_context::make(
    side own, const endpoint& at, const tls_options& options,
    const boost::asio::any_io_executor& executor) {
  if (at.tls_host() == nullptr) {
    return std::unique_ptr<tls_context>{};
  }
  if (own == side::server && options.certificate.empty()) {
    return make_error_code(errc::no_certificate);
  }
  auto made = std::make_unique<tls_context>(own, at, options, runtime::of(executor));
  if (const auto fault = made->refresh()) {
    return fault;
  }
  return made;
}

tls_context::tls_context(side own, const endpoint& at, const tls_options& options, runtime& of)
    : own_{own},
      host_{options.server_name.empty() ? *at.tls_host() : options.server_name},
      over_http_{at.ws() != nullptr},
      options_{options},
      runtime_{of},
      reload_{file_check_interval} {
  for (const auto& path : {options.certificate, options.private_key, options.trusted}) {
    if (!path.empty()) {
      files_.emplace_back(path);
    }
  }
}

error_code tls_context::refresh() {
  if (!reload_.looks(runtime_.now()) || !(changed() || reload_.loads_again())) {
    return {};
  }
  return reload_.on_loaded(load());
}

bool tls_context::changed() {
  bool any = false;
  for (auto& file : files_) {
    any = file.changed(runtime_.wall_clock()) || any;
  }
  return any;
}

// OpenSSL would wait at a pipe, and with it the process.
bool tls_context::is_file(const std::string& path) const noexcept {
  return std::ranges::any_of(
      files_, [&](const watched_file& each) { return each.path() == path && each.present(); });
}

error_code tls_context::load() {
  ERR_clear_error();
  tls_settings made{SSL_CTX_new(TLS_method())};
  const auto fault = made != nullptr ? load_into(made.get()) : errc::out_of_memory;
  ERR_clear_error();
  if (!fault) {
    loaded_ = std::move(made);
  }
  return fault;
}

error_code tls_context::load_into(ssl_ctx_st* made) const {
  set_safe_defaults(made);
  if (!options_.certificate.empty()) {
    if (!is_file(options_.certificate)) {
      return errc::bad_certificate_file;
    }
    if (!options_.private_key.empty() && !is_file(options_.private_key)) {
      return errc::bad_key_file;
    }
    if (const auto fault = load_own(made, options_)) {
      return fault;
    }
  }
  if (!options_.trusted.empty()) {
    if (!is_file(options_.trusted)) {
      return errc::bad_trusted_file;
    }
    if (const auto fault = load_trusted(made, options_.trusted, own_)) {
      return fault;
    }
  }
  const auto& protocol = over_http_ ? http_protocol : zmtp_protocol;
  if (own_ == side::server) {
    SSL_CTX_set_alpn_select_cb(made, choose_protocol, const_cast<std::string_view*>(&protocol));
    SSL_CTX_set_verify(made,
                       options_.trusted.empty() ? SSL_VERIFY_NONE
                                                : SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                       nullptr);
    return {};
  }
  SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nullptr);
  if (options_.trusted.empty()) {
    SSL_CTX_set_default_verify_paths(made);
  }
  if (SSL_CTX_set_alpn_protos(made, bytes_of(protocol), static_cast<unsigned>(protocol.size())) !=
      0) {
    return errc::out_of_memory;
  }
  return {};
}

tls_session tls_context::start() const {
  tls_session made{SSL_new(loaded_.get())};
  if (made == nullptr || (own_ == side::client && !expect_server(made.get(), host_))) {
    throw std::bad_alloc{};
  }
  own_ == side::client ? SSL_set_connect_state(made.get()) : SSL_set_accept_state(made.get());
  return made;
}

}  // namespace zmtp::transport
