#pragma once
// The certificates of an endpoint with TLS.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/framing/websocket_frame.h"
#include "zmtp/options.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/runtime/watched_file.h"
#include "zmtp/transport/certificate_reload_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace zmtp::transport {

struct tls_deleter {
  void operator()(ssl_ctx_st* of) const noexcept;
  void operator()(ssl_st* of) const noexcept;
};
using tls_settings = std::unique_ptr<ssl_ctx_st, tls_deleter>;
using tls_session = std::unique_ptr<ssl_st, tls_deleter>;

class tls_context {
public:
  // Returns null for an endpoint without TLS. Reads the files.
  // Errors: errc::no_certificate, bad_certificate_file, bad_key_file, foreign_key, bad_trusted_file,
  // out_of_memory.
  [[nodiscard]] static result<std::unique_ptr<tls_context>> make(
      websocket::side own, const endpoint& at, const tls_options& options,
      const boost::asio::any_io_executor& executor);

  tls_context(websocket::side own, const endpoint& at, const tls_options& options, runtime& of);

  // Loads files that have changed, or that had a fault. If they have a fault that it has not returned
  // before, returns it. The old certificates stay.
  [[nodiscard]] error_code refresh();
  // Returns a session for a new connection. Throws std::bad_alloc.
  [[nodiscard]] tls_session start() const;

private:
  [[nodiscard]] error_code load();
  [[nodiscard]] error_code load_into(ssl_ctx_st* made) const;
  [[nodiscard]] bool changed();
  [[nodiscard]] bool is_file(const std::string& path) const noexcept;

  websocket::side own_;
  std::string host_;
  bool over_http_;
  tls_options options_;
  runtime& runtime_;
  std::vector<watched_file> files_;
  certificate_reload_state reload_;
  tls_settings loaded_;
};

}  // namespace zmtp::transport
