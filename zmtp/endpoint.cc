#include "zmtp/endpoint.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace zmtp {

namespace {

constexpr std::size_t max_name = 253;  // RFC 1035, as text
constexpr std::size_t max_label = 63;  // RFC 1035
constexpr std::size_t max_scope = 64;

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Independent of the locale, unlike std::isalnum.
constexpr bool is_alphanumeric(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Dotted decimal, nothing else: some libraries read a leading zero as octal.
bool is_ipv4(std::string_view text) noexcept {
  for (int left = 4; left > 0; --left) {
    const auto dot = text.find('.');
    const auto octet = text.substr(0, dot);
    std::uint8_t value = 0;
    const auto* end = octet.data() + octet.size();
    const auto [rest, fault] = std::from_chars(octet.data(), end, value);
    if (fault != std::errc{} || rest != end || (octet.size() > 1 && octet.front() == '0') ||
        (dot == std::string_view::npos) != (left == 1)) {
      return false;
    }
    text.remove_prefix(left == 1 ? text.size() : dot + 1);
  }
  return true;
}

bool is_group(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 4 && std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

// RFC 4291 section 2.2: eight groups, one run of zeros left out as "::", the last two perhaps
// written as an IPv4 address.
bool is_ipv6_address(std::string_view text) noexcept {
  bool shortened = text.starts_with("::");
  if (shortened) {
    text.remove_prefix(2);
  }
  std::size_t groups = 0;
  while (!text.empty()) {
    const auto colon = text.find(':');
    const auto group = text.substr(0, colon);
    if (colon == std::string_view::npos) {
      const bool ipv4 = is_ipv4(group);
      if (!ipv4 && !is_group(group)) {
        return false;
      }
      groups += ipv4 ? 2U : 1U;
      break;
    }
    if (!is_group(group)) {
      return false;
    }
    ++groups;
    text.remove_prefix(colon + 1);
    if (text.empty()) {
      return false;
    }
    if (text.front() == ':') {
      if (shortened) {
        return false;
      }
      shortened = true;
      text.remove_prefix(1);
    }
  }
  return shortened ? groups < 8 : groups == 8;
}

// An interface's name or number, of the characters that RFC 6874 allows unescaped.
bool is_scope(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_scope &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
         });
}

bool is_ipv6(std::string_view text) noexcept {
  const auto percent = text.find('%');
  return is_ipv6_address(text.substr(0, percent)) &&
         (percent == std::string_view::npos || is_scope(text.substr(percent + 1)));
}

bool is_label(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_label &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

bool is_name_or_ipv4(std::string_view text) noexcept {
  if (text.size() > max_name) {
    return false;
  }
  // A name may end at the root; an address may not, and is_ipv4 sees the dot.
  auto rest = text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0));
  for (;;) {
    const auto dot = rest.find('.');
    const auto label = rest.substr(0, dot);
    if (!is_label(label)) {
      return false;
    }
    if (dot == std::string_view::npos) {
      // No top-level domain is a number: this is an address, or one mistyped.
      return !std::all_of(label.begin(), label.end(), is_digit) || is_ipv4(text);
    }
    rest.remove_prefix(dot + 1);
  }
}

std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  if (text == "*") {
    return std::uint16_t{0};
  }
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, port);
  if (fault != std::errc{} || rest != end) {
    return std::nullopt;
  }
  return port;
}

bool is_transport_name(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
}

}  // namespace

result<endpoint> endpoint::parse(std::string_view text) {
  constexpr std::string_view separator = "://";
  const auto transport_end = text.find(separator);
  if (transport_end == std::string_view::npos ||
      !is_transport_name(text.substr(0, transport_end))) {
    return errc::bad_endpoint;
  }
  if (text.substr(0, transport_end) != "tcp") {
    return errc::unknown_transport;
  }
  const auto address = text.substr(transport_end + separator.size());
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) {
    return errc::bad_endpoint;
  }
  auto host = address.substr(0, colon);
  const auto port = parse_port(address.substr(colon + 1));
  if (!port) {
    return errc::bad_endpoint;
  }
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (!is_ipv6(host)) {
      return errc::bad_endpoint;
    }
  } else if (host != "*" && !is_name_or_ipv4(host)) {
    return errc::bad_endpoint;
  }
  return endpoint{std::string{host}, *port};
}

std::string endpoint::to_string() const {
  std::string text = "tcp://";
  if (host.find(':') != std::string::npos) {
    text.append("[").append(host).append("]");
  } else {
    text.append(host);
  }
  return text.append(":").append(std::to_string(port));
}

}  // namespace zmtp
