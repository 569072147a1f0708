#include "tools/zinc/status/source.h"

#include "tools/zinc/status/http_source.h"
#include "tools/zinc/status/mmi_source.h"

namespace zinc::status {

std::unique_ptr<source> open(const boost::asio::any_io_executor& executor,
                             const std::string& address, const mdp::client_options& options) {
  return is_http(address) ? open_http(executor, address, options.timeout)
                          : open_mmi(executor, address, options);
}

}  // namespace zinc::status
