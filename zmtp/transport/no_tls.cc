// Stands in for the sources of TLS in a build without it (docs/embedding.md): then no endpoint with TLS can be bound or
// connected, and so no connection gets here.

#include "zmtp/transport/tls_connection.h"
#include "zmtp/transport/tls_context.h"

#include <cassert>
#include <utility>

namespace zmtp::transport {

void tls_deleter::operator()(ssl_ctx_st*) const noexcept {}

result<std::unique_ptr<tls_context>> tls_context::make(websocket::side, const endpoint& at,
                                                       const tls_options&,
                                                       const boost::asio::any_io_executor&) {
  if (at.tls_host() != nullptr) {
    return make_error_code(errc::unknown_transport);
  }
  return std::unique_ptr<tls_context>{};
}

error_code tls_context::refresh() { return {}; }

std::unique_ptr<stream> make_tls_stream(std::unique_ptr<stream> over, const tls_context&,
                                        const asio::any_io_executor&) {
  assert(false && "no context has been made");
  return over;
}

}  // namespace zmtp::transport
