#include "tools/zinc/http_start.h"

#include "tools/zinc/output.h"
#include "zmtp/transport/other_requests.h"

#include <boost/asio/query.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace zinc {

namespace {

// Lets the sockets at this address give it what is not for them. Returns whether there are any.
bool share_port(http::server& web, const http::address& at,
                const std::vector<bound_socket>& sockets) {
  bool shares = false;
  for (const auto& each : sockets) {
    const auto* const ws = each.at.ws();
    // The server cannot speak TLS, so it does not share a port of wss://.
    const bool plain = ws != nullptr && !ws->tls;
    if (plain && at.port != 0 && ws->port == at.port && ws->host == at.host) {
      zmtp::transport::give_other_requests(
          boost::asio::query(each.executor, boost::asio::execution::context), *ws, web.share(at));
      shares = true;
    }
  }
  return shares;
}

}  // namespace

std::unique_ptr<http::server> start_http(const boost::asio::any_io_executor& executor,
                                         const std::optional<http::address>& at, http::reporter of,
                                         http::operations of_operator,
                                         const std::vector<bound_socket>& sockets) {
  if (!at) {
    return nullptr;
  }
  auto made = std::make_unique<http::server>(executor, std::move(of), http::limits{},
                                             std::move(of_operator));
  boost::system::error_code ec;
  const auto bound = share_port(*made, *at, sockets) ? *at : made->bind(*at, ec);
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
