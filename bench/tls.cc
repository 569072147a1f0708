#include "bench/tls.h"

#include "bench/support/tls_file.h"

namespace bench {

zmtp::socket_options tls_server() {
  zmtp::socket_options options;
  options.transport.tls.certificate = tls_file();
  return options;
}

zmtp::socket_options tls_client() {
  zmtp::socket_options options;
  options.transport.tls = {.trusted = tls_file(), .server_name = tls_name};
  return options;
}

std::string over_tls(std::string_view endpoint) { return std::string{"tls+"}.append(endpoint); }

}  // namespace bench
