#include "zmtp/authenticators/peer_host.h"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>

namespace zmtp {

namespace ip = boost::asio::ip;

std::string without_port(const std::string& address) {
  if (address.starts_with('[')) {
    return address.substr(1, address.find(']') - 1);
  }
  const auto colon = address.rfind(':');
  return address.starts_with('/') || address.starts_with('@') ? address : address.substr(0, colon);
}

std::string host_of(const peer_info& peer) {
  if (peer.process) {
    return "uid " + std::to_string(peer.process->uid);
  }
  const auto address = without_port(peer.address);
  boost::system::error_code failure;
  const auto parsed = ip::make_address_v6(address, failure);
  if (failure) {
    return address;
  }
  auto bytes = parsed.to_bytes();
  if (parsed.is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, parsed).to_string();
  }
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return ip::address_v6{bytes}.to_string() + "/64";
}

}  // namespace zmtp
