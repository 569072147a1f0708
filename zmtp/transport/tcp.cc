#include "zmtp/transport/tcp.h"

#include <boost/asio/ip/v6_only.hpp>

#include <algorithm>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>

namespace zmtp::transport {

namespace {

using asio::ip::address_v4;
using asio::ip::address_v6;
using asio::ip::tcp;

tcp_addresses interface_addresses(const std::string& name, std::uint16_t port) {
  ::ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) {
    return {};
  }
  const std::unique_ptr<::ifaddrs, decltype(&::freeifaddrs)> owner{list, &::freeifaddrs};
  tcp_addresses found;
  for (const auto* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || name != each->ifa_name) {
      continue;
    }
    const auto family = each->ifa_addr->sa_family;
    if (family == AF_INET || family == AF_INET6) {
      tcp::endpoint address;
      std::memcpy(address.data(), each->ifa_addr,
                  family == AF_INET ? sizeof(::sockaddr_in) : sizeof(::sockaddr_in6));
      address.port(port);
      found.push_back(address);
    }
  }
  // A link-local address is the last choice.
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const asio::ip::address& address) {
      return address.is_v4() ? 0 : address.to_v6().is_link_local() ? 2 : 1;
    };
    return rank(a.address()) < rank(b.address());
  });
  return found;
}

error_code listen_at(listening_socket& socket, const tcp::endpoint& at,
                     const transport_options& options, int backlog) {
  error_code ec = open(socket, at.protocol().family(), options);
  if (!ec) {
    socket.set_option(tcp::acceptor::reuse_address{true}, ec);
  }
  if (!ec && at.address().is_v6()) {
    socket.set_option(asio::ip::v6_only{!options.ipv6}, ec);
  }
  if (!ec) {
    socket.bind(at, ec);
  }
  if (!ec) {
    socket.listen(backlog, ec);
  }
  return ec;
}

// On a machine without IPv6, every address means every IPv4 address.
bool lacks_family(const error_code& ec) noexcept {
  return ec == asio::error::address_family_not_supported ||
         ec == boost::system::errc::address_not_available;
}

}  // namespace

tcp_addresses known_addresses(const std::string& host, std::uint16_t port) {
  if (host == "localhost") {
    return {{address_v4::loopback(), port}, {address_v6::loopback(), port}};
  }
  error_code ec;
  const auto address = asio::ip::make_address(host, ec);
  return ec ? tcp_addresses{} : tcp_addresses{{address, port}};
}

tcp_addresses own_addresses(const std::string& host, std::uint16_t port) {
  if (host == "*") {
    return {{address_v4::any(), port}, {address_v6::any(), port}};
  }
  auto known = known_addresses(host, port);
  return known.empty() ? interface_addresses(host, port) : known;
}

error_code listen_tcp(listening_socket& socket, const tcp_address& at,
                      const transport_options& options, int backlog, tcp_address& bound) {
  auto addresses = own_addresses(at.host, at.port);
  if (addresses.empty()) {
    return errc::unknown_interface;
  }
  if (at.host == "*" && options.ipv6) {
    std::reverse(addresses.begin(), addresses.end());
  }
  const auto* used = &addresses.front();
  auto ec = listen_at(socket, *used, options, backlog);
  if (ec && at.host == "*" && options.ipv6 && lacks_family(ec)) {
    used = &addresses.back();
    ec = listen_at(socket, *used, options, backlog);
  }
  if (ec) {
    return ec;
  }
  tcp::endpoint own;
  const auto actual = socket.local_endpoint(ec);
  std::memcpy(own.data(), actual.data(), std::min(actual.size(), own.capacity()));
  bound = at;
  bound.port = own.port();
  // A peer cannot connect to a wildcard or to the name of an interface.
  if (known_addresses(at.host, at.port).empty()) {
    bound.host = used->address().to_string();
  }
  return ec;
}

}  // namespace zmtp::transport
