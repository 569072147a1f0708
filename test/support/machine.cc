#include "test/support/machine.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <netinet/in.h>

namespace zmtp::test {

namespace asio = boost::asio;
using asio::ip::tcp;

bool has_ipv6() {
  asio::io_context context{1};
  tcp::acceptor probe{context};
  boost::system::error_code ec;
  probe.open(tcp::v6(), ec);
  if (!ec) {
    probe.bind({asio::ip::address_v6::loopback(), 0}, ec);
  }
  return !ec;
}

namespace {

// Returns the first address of this family that `wanted` accepts; empty if there is none.
template <class Wanted>
std::string own_address(int family, std::size_t size, Wanted wanted) {
  ::ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) {
    return {};
  }
  const std::unique_ptr<::ifaddrs, decltype(&::freeifaddrs)> owner{list, &::freeifaddrs};
  for (const auto* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr != nullptr && each->ifa_addr->sa_family == family) {
      tcp::endpoint known;
      std::memcpy(known.data(), each->ifa_addr, size);
      if (wanted(known.address())) {
        return known.address().to_string();
      }
    }
  }
  return {};
}

}  // namespace

std::string network_address() {
  return own_address(AF_INET, sizeof(::sockaddr_in),
                     [](const asio::ip::address& known) { return !known.is_loopback(); });
}

std::string link_local_address() {
  return own_address(AF_INET6, sizeof(::sockaddr_in6),
                     [](const asio::ip::address& known) { return known.to_v6().is_link_local(); });
}

}  // namespace zmtp::test
