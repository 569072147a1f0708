#include "tools/zinc/http_start.h"

#include "tools/zinc/output.h"

#include <boost/system/system_error.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace zinc {

std::unique_ptr<http::server> start_http(const boost::asio::any_io_executor& executor,
                                         const std::optional<http::address>& at,
                                         http::reporter of) {
  if (!at) {
    return nullptr;
  }
  auto made = std::make_unique<http::server>(executor, std::move(of));
  boost::system::error_code ec;
  const auto bound = made->bind(*at, ec);
  if (ec) {
    throw boost::system::system_error{
        ec, "cannot bind --http " + http::text_of(*at) + "; choose another address"};
  }
  if (!bound.loopback) {
    spdlog::warn(
        "http without authentication: every host that can connect to {} reads the names "
        "of services and all figures; use a loopback address, or a firewall",
        http::text_of(bound));
  }
  fmt::print("http http://{}/\n", http::text_of(bound));
  flush_output();
  return made;
}

}  // namespace zinc
