#include "tools/zinc/http/address.h"

#include <boost/asio/ip/address.hpp>
#include <fmt/core.h>

#include <charconv>
#include <optional>

namespace zinc::http {

namespace {

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, ec] = std::from_chars(text.data(), end, port);
  return ec == std::errc{} && rest == end ? std::optional{port} : std::nullopt;
}

}  // namespace

address parse_address(std::string_view text) {
  const auto fault = [text] {
    return address_error{fmt::format(
        "'{}' is not an address; give PORT, IP:PORT, [IPv6]:PORT, or *:PORT for all addresses",
        text)};
  };
  const auto colon = text.rfind(':');
  const auto port = port_of(colon == std::string_view::npos ? text : text.substr(colon + 1));
  if (!port) {
    throw fault();
  }
  address found{.port = *port};
  if (colon == std::string_view::npos) {
    return found;
  }
  auto host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
  }
  if (host == "localhost") {
    return found;
  }
  if (host == "*") {
    host = "0.0.0.0";
  }
  boost::system::error_code ec;
  const auto ip = boost::asio::ip::make_address(std::string{host}, ec);
  if (ec || ip.is_v6() != bracketed) {
    throw fault();
  }
  found.host = ip.to_string();
  found.loopback = ip.is_loopback();
  return found;
}

std::string text_of(const address& of) {
  const bool bracketed = of.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", bracketed ? "[" : "", of.host, bracketed ? "]" : "", of.port);
}

}  // namespace zinc::http
