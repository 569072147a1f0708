#include "zmtp/transport/tls_connection.h"

#include "zmtp/transport/certificate_name.h"
#include "zmtp/transport/tls_fault.h"

#include <boost/asio/error.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <unistd.h>
#include <utility>
#include <vector>

namespace zmtp::transport {

namespace {

constexpr std::size_t max_record = 16 * 1024;
// A peer that has TLS answer more than this, and does not read, is cut off.
constexpr std::size_t max_unwritten = 64 * 1024;
constexpr std::size_t max_handshake_reads = 64;

tls_connection& owner_of(BIO* bio) noexcept {
  return *static_cast<tls_connection*>(BIO_get_data(bio));
}

int read_bio(BIO* bio, char* to, int size) {
  BIO_clear_retry_flags(bio);
  const auto count = owner_of(bio).read_below(
      std::as_writable_bytes(std::span{to, static_cast<std::size_t>(size)}));
  if (count < 0) {
    BIO_set_retry_read(bio);
  }
  return count;
}

int write_bio(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  return owner_of(bio).write_below(std::as_bytes(std::span{from, static_cast<std::size_t>(size)}));
}

long control_bio(BIO*, int what, long, void*) { return what == BIO_CTRL_FLUSH ? 1 : 0; }

int create_bio(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

const BIO_METHOD* bio_of_stream() {
  static const BIO_METHOD* const method = [] {
    auto* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream");
    if (made == nullptr) {
      throw std::bad_alloc{};
    }
    BIO_meth_set_read(made, read_bio);
    BIO_meth_set_write(made, write_bio);
    BIO_meth_set_ctrl(made, control_bio);
    BIO_meth_set_create(made, create_bio);
    return made;
  }();
  return method;
}

struct openssl_deleter {
  void operator()(unsigned char* bytes) const noexcept { OPENSSL_free(bytes); }
  void operator()(GENERAL_NAMES* names) const noexcept { GENERAL_NAMES_free(names); }
};

std::string text_of(const ASN1_STRING* from) {
  unsigned char* made = nullptr;
  const auto size = ASN1_STRING_to_UTF8(&made, from);
  const std::unique_ptr<unsigned char, openssl_deleter> owner{made};
  return std::string(reinterpret_cast<const char*>(made),
                     size > 0 ? static_cast<std::size_t>(size) : 0);
}

std::string name_of(const X509* certificate) {
  std::vector<std::string> common;
  const auto* const subject = X509_get_subject_name(certificate);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;) {
    common.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
  }
  std::vector<std::string> alternative;
  const std::unique_ptr<GENERAL_NAMES, openssl_deleter> names{static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    int kind = 0;
    const auto* const value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &kind);
    if (kind == GEN_DNS || kind == GEN_URI || kind == GEN_EMAIL) {
      alternative.push_back(text_of(static_cast<const ASN1_STRING*>(value)));
    }
  }
  return certificate_name(common, alternative);
}

}  // namespace

tls_connection::tls_connection(std::unique_ptr<stream> over, tls_session session,
                               asio::any_io_executor executor)
    : stream_layer{std::move(over), std::move(executor)}, session_{std::move(session)} {
  auto* const bio = BIO_new(bio_of_stream());
  if (bio == nullptr) {
    throw std::bad_alloc{};
  }
  BIO_set_data(bio, this);
  SSL_set_bio(session_.get(), bio, bio);
}

int tls_connection::read_below(std::span<std::byte> to) noexcept {
  if (reads_left_ == 0) {
    return -1;
  }
  --reads_left_;
  error_code ec;
  const auto count = over().read_some(to, ec);
  if (ec == asio::error::would_block) {
    return -1;
  }
  below_fault_ = ec;
  return static_cast<int>(count);
}

int tls_connection::write_below(piece bytes) noexcept {
  try {
    send(bytes);
  } catch (const std::bad_alloc&) {
    write_fault_ = errc::out_of_memory;
  }
  if (unwritten() > max_unwritten) {
    write_fault_ = errc::bad_tls;
  }
  return write_fault_ ? 0 : static_cast<int>(bytes.size());
}

// Sets `fault` unless OpenSSL only waits for bytes.
void tls_connection::on_failure(int result, error_code& fault) {
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ: drained_ = true; return;
    case SSL_ERROR_ZERO_RETURN: fault = asio::error::eof; return;
    default: break;
  }
  said_goodbye_ = true;  // OpenSSL has sent an alert, or cannot
  if (below_fault_) {
    fault = below_fault_;
  } else if (write_fault_) {
    fault = write_fault_;
  } else {
    fault = take_tls_fault(SSL_get_verify_result(session_.get()));
  }
}

// While a message of TLS itself has arrived only in part, OpenSSL writes nothing.
bool tls_connection::opened() const noexcept {
  return opened_ && (read_fault_ || SSL_in_init(session_.get()) == 0);
}

// Returns whether the handshake is complete. If not, or if a message of TLS has arrived only in
// part, continues as far as possible.
bool tls_connection::open() {
  if (opened() || read_fault_) {
    return opened_;
  }
  ERR_clear_error();
  reads_left_ = max_handshake_reads;
  const auto result = SSL_do_handshake(session_.get());
  if (result != 1) {
    on_failure(result, read_fault_);
    return false;
  }
  // Without memory for its name, the peer must not get in without a name.
  if (const auto* const shown = SSL_get0_peer_certificate(session_.get());
      !opened_ && shown != nullptr && SSL_get_verify_mode(session_.get()) != SSL_VERIFY_NONE) {
    certificate_name_ = name_of(shown);
  }
  opened_ = true;
  drained_ = false;
  on_opened();
  return true;
}

bool tls_connection::on_readable() { return open() || read_fault_; }

std::size_t tls_connection::read_some(std::span<std::byte> to, error_code& ec) noexcept {
  std::size_t count = 0;
  try {
    count = open() ? read(to) : 0;
  } catch (const std::bad_alloc&) {
    read_fault_ = errc::out_of_memory;
  }
  ec = count != 0 ? error_code{} : read_fault_ ? read_fault_ : asio::error::would_block;
  return count;
}

// Reads the stream below a limited number of times, so that a peer that sends only records of TLS
// itself does not keep the executor.
std::size_t tls_connection::read(std::span<std::byte> to) {
  ERR_clear_error();
  drained_ = false;
  reads_left_ = 2 + to.size() / max_record;
  std::size_t all = 0;
  while (all < to.size() && !read_fault_) {
    std::size_t count = 0;
    const auto result = SSL_read_ex(session_.get(), to.data() + all, to.size() - all, &count);
    if (result != 1) {
      on_failure(result, read_fault_);
      break;
    }
    all += count;
  }
  return all;
}

// After the handshake, only a read continues a message of TLS: bytes for the reader may follow it, and
// no event of the stream below would tell about them.
std::size_t tls_connection::write_some(std::span<const piece> pieces, error_code& ec) noexcept {
  std::size_t count = 0;
  try {
    count = (opened_ || open()) && opened() ? write(pieces) : 0;
  } catch (const std::bad_alloc&) {
    write_fault_ = errc::out_of_memory;
  }
  const auto fault = write_fault_ ? write_fault_ : opened_ ? error_code{} : read_fault_;
  ec = count != 0 ? error_code{} : fault ? fault : asio::error::would_block;
  return count;
}

// Writes records until the stream below takes no more. Small pieces share a record.
std::size_t tls_connection::write(std::span<const piece> pieces) {
  std::array<std::byte, max_record> space;
  std::size_t all = 0;
  piece rest;
  while (!blocked() && (!rest.empty() || !pieces.empty())) {
    std::size_t filled = 0;
    while (filled < space.size() && (!rest.empty() || !pieces.empty())) {
      if (rest.empty()) {
        rest = pieces.front();
        pieces = pieces.subspan(1);
      }
      const auto count = std::min(rest.size(), space.size() - filled);
      std::memcpy(space.data() + filled, rest.data(), count);
      rest = rest.subspan(count);
      filled += count;
    }
    if (filled == 0 || !write_record(piece{space}.first(filled))) {
      break;
    }
    all += filled;
  }
  return all;
}

bool tls_connection::write_record(piece bytes) {
  ERR_clear_error();
  std::size_t count = 0;
  const auto result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count);
  if (result != 1) {
    on_failure(result, write_fault_);
  }
  return result == 1;
}

// Sends close_notify once. In the child of a fork the connection is still that of the parent.
void tls_connection::say_goodbye() noexcept {
  if (opened_ && owner_ == ::getpid() && !std::exchange(said_goodbye_, true) && !write_fault_) {
    ERR_clear_error();
    SSL_shutdown(session_.get());
  }
}

void tls_connection::write_end() { say_goodbye(); }

void tls_connection::close() noexcept {
  say_goodbye();
  stream_layer::close();
}

remote_end tls_connection::remote() const {
  auto known = stream_layer::remote();
  known.certificate_name = certificate_name_;
  return known;
}

std::unique_ptr<stream> make_tls_stream(std::unique_ptr<stream> over, const tls_context& context,
                                        const asio::any_io_executor& executor) {
  return make_stream(std::make_shared<tls_connection>(std::move(over), context.start(), executor));
}

}  // namespace zmtp::transport
