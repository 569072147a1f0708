#include "chp/server_address.h"

#include "zmtp/endpoint.h"

#include <boost/system/system_error.hpp>

namespace chp {

server_address server_address::at(std::string_view first) {
  const std::string whole =
      first.find("://") == first.npos ? "tcp://" + std::string{first} : std::string{first};
  auto parsed = zmtp::endpoint::parse(whole);
  const auto* const tcp = parsed ? parsed->tcp() : nullptr;
  if (tcp == nullptr || !parsed->connectable() || tcp->port > 65'533) {
    const auto ec = parsed ? make_error_code(zmtp::errc::bad_endpoint) : parsed.error();
    throw boost::system::system_error{ec, "server " + whole};
  }
  const auto port = [&](std::uint16_t further) {
    auto moved = *tcp;
    moved.port = static_cast<std::uint16_t>(moved.port + further);
    return zmtp::endpoint{moved}.to_string();
  };
  return {port(0), port(1), port(2)};
}

}  // namespace chp
