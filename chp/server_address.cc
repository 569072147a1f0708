#include "chp/server_address.h"

#include <boost/system/system_error.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>

namespace chp {

std::optional<zmtp::endpoint> endpoint_behind(zmtp::endpoint first, unsigned count) {
  const bool valid = std::visit(
      [count](auto& a) {
        if constexpr (requires { a.port; }) {
          if (a.port <= std::numeric_limits<std::uint16_t>::max() - count) {
            a.port = static_cast<std::uint16_t>(a.port + count);
            return true;
          }
        }
        return false;
      },
      first.address);
  return valid ? std::optional{std::move(first)} : std::nullopt;
}

server_address server_address::at(std::string_view first) {
  const std::string whole =
      first.find("://") == first.npos ? "tcp://" + std::string{first} : std::string{first};
  const auto parsed = zmtp::endpoint::parse(whole);
  const auto last = parsed && parsed->connectable() ? endpoint_behind(*parsed, 2) : std::nullopt;
  if (!last) {
    const auto ec = parsed ? make_error_code(zmtp::errc::bad_endpoint) : parsed.error();
    throw boost::system::system_error{ec, "server " + whole};
  }
  return {parsed->to_string(), endpoint_behind(*parsed, 1)->to_string(), last->to_string()};
}

}  // namespace chp
