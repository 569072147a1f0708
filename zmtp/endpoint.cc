#include "zmtp/endpoint.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace zmtp {

namespace {

constexpr std::size_t max_name = 253;  // RFC 1035, in text form
constexpr std::size_t max_label = 63;  // RFC 1035
constexpr std::size_t max_scope = 64;

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Independent of the locale, unlike std::isalnum.
constexpr bool is_alphanumeric(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Accepts dotted decimal only, because some libraries read a leading zero as octal.
bool is_ipv4(std::string_view text) noexcept {
  for (int left = 4; left > 0; --left) {
    const auto dot = text.find('.');
    const auto byte = text.substr(0, dot);
    std::uint8_t value = 0;
    const auto* end = byte.data() + byte.size();
    const auto [rest, fault] = std::from_chars(byte.data(), end, value);
    if (fault != std::errc{} || rest != end || (byte.size() > 1 && byte.front() == '0') ||
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

// RFC 4291 section 2.2: eight groups, one run of zeros replaced by "::". The last two groups may
// have the form of an IPv4 address.
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

// The name or number of an interface, of the characters that RFC 6874 allows without escapes.
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
  // A name may end with the root's dot. An address may not, and is_ipv4 rejects that dot.
  auto rest = text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0));
  for (;;) {
    const auto dot = rest.find('.');
    const auto label = rest.substr(0, dot);
    if (!is_label(label)) {
      return false;
    }
    if (dot == std::string_view::npos) {
      // A name of only digits and dots is an address or a typing error. The name of an interface
      // may end in a number (eth0.100).
      return text.find_first_not_of("0123456789.") != std::string_view::npos || is_ipv4(text);
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

// Returns the host without brackets, or nothing if the text is not a host.
std::optional<std::string_view> parse_host(std::string_view text) noexcept {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
    return is_ipv6(text) ? std::optional{text} : std::nullopt;
  }
  return text == "*" || is_name_or_ipv4(text) ? std::optional{text} : std::nullopt;
}

std::optional<host_port> parse_host_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const auto host = parse_host(text.substr(0, colon));
  const auto port = parse_port(text.substr(colon + 1));
  return host && port ? std::optional{host_port{std::string{*host}, *port}} : std::nullopt;
}

// The port of a source is optional.
std::optional<host_port> parse_source(std::string_view text) {
  if (const auto host = parse_host(text)) {
    return host_port{std::string{*host}, 0};
  }
  return parse_host_port(text);
}

result<endpoint> parse_tcp(std::string_view text, bool tls = false) {
  std::optional<host_port> source;
  if (const auto end = text.find(';'); end != std::string_view::npos) {
    source = parse_source(text.substr(0, end));
    if (!source) {
      return errc::bad_endpoint;
    }
    text.remove_prefix(end + 1);
  }
  auto to = parse_host_port(text);
  if (!to) {
    return errc::bad_endpoint;
  }
  return endpoint{tcp_address{std::move(to->host), to->port, std::move(source), tls}};
}

// A zero byte would truncate the text when a function takes it as a C string.
bool is_text(std::string_view text) noexcept {
  return !text.empty() && text.find('\0') == std::string_view::npos;
}

result<endpoint> parse_ipc(std::string_view text) {
  if (!is_text(text) || text == "@") {
    return errc::bad_endpoint;
  }
  if (text.size() > ipc_address::max_size) {
    return errc::address_too_long;
  }
  return endpoint{ipc_address{std::string{text}}};
}

result<endpoint> parse_inproc(std::string_view text) {
  if (!is_text(text)) {
    return errc::bad_endpoint;
  }
  if (text.size() > inproc_address::max_size) {
    return errc::address_too_long;
  }
  return endpoint{inproc_address{std::string{text}}};
}

// The characters of a path in an HTTP request, which ends at a blank. A server sees neither a query
// nor a fragment as a part of the path.
bool is_path(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != '?' && c != '#'; });
}

result<endpoint> parse_ws(std::string_view text, bool tls = false) {
  const auto end = std::min(text.find('/'), text.size());
  auto to = parse_host_port(text.substr(0, end));
  const auto path = end == text.size() ? std::string_view{"/"} : text.substr(end);
  if (!to || !is_path(path)) {
    return errc::bad_endpoint;
  }
  if (path.size() > ws_address::max_path) {
    return errc::address_too_long;
  }
  return endpoint{ws_address{std::move(to->host), to->port, std::string{path}, tls}};
}

bool is_transport_name(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
}

std::string written(const std::string& host, std::uint16_t port) {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

std::string ws_address::authority() const { return written(host, port); }

result<endpoint> endpoint::parse(std::string_view text) {
  constexpr std::string_view separator = "://";
  const auto end = text.find(separator);
  if (end == std::string_view::npos || !is_transport_name(text.substr(0, end))) {
    return errc::bad_endpoint;
  }
  const auto transport = text.substr(0, end);
  const auto rest = text.substr(end + separator.size());
  if (transport == "tcp") {
    return parse_tcp(rest);
  }
  if (transport == "ipc") {
    return parse_ipc(rest);
  }
  if (transport == "inproc") {
    return parse_inproc(rest);
  }
  if (transport == "ws") {
    return parse_ws(rest);
  }
  if (transport == "tls+tcp") {
    return parse_tcp(rest, true);
  }
  if (transport == "wss") {
    return parse_ws(rest, true);
  }
  return errc::unknown_transport;
}

std::string endpoint::to_string() const {
  struct {
    std::string operator()(const tcp_address& a) const {
      const auto source = a.source ? written(a.source->host, a.source->port) + ";" : std::string{};
      return (a.tls ? "tls+tcp://" : "tcp://") + source + written(a.host, a.port);
    }
    std::string operator()(const ipc_address& a) const { return "ipc://" + a.path; }
    std::string operator()(const inproc_address& a) const { return "inproc://" + a.name; }
    std::string operator()(const ws_address& a) const {
      return (a.tls ? "wss://" : "ws://") + a.authority() + a.path;
    }
  } write;
  return std::visit(write, address);
}

bool endpoint::bindable() const noexcept { return tcp() == nullptr || !tcp()->source; }

bool endpoint::connectable() const noexcept {
  const auto names_a_peer = [](const auto& a) { return a.host != "*" && a.port != 0; };
  if (const auto* a = tcp()) {
    return names_a_peer(*a);
  }
  if (const auto* a = ws()) {
    return names_a_peer(*a);
  }
  return ipc() == nullptr || ipc()->path != "*";
}

const std::string* endpoint::tls_host() const noexcept {
  if (const auto* a = tcp()) {
    return a->tls ? &a->host : nullptr;
  }
  const auto* const a = ws();
  return a != nullptr && a->tls ? &a->host : nullptr;
}

endpoint endpoint::carrier() const {
  if (const auto* a = tcp()) {
    return {tcp_address{a->host, a->port, a->source}};
  }
  const auto* const a = ws();
  return a != nullptr ? endpoint{tcp_address{a->host, a->port}} : *this;
}

endpoint endpoint::over(const endpoint& bound) const {
  const auto* const below = bound.tcp();
  if (below == nullptr) {
    return bound;
  }
  if (const auto* a = ws()) {
    return {ws_address{below->host, below->port, a->path, a->tls}};
  }
  const auto* const a = tcp();
  return {tcp_address{below->host, below->port, below->source, a != nullptr && a->tls}};
}

}  // namespace zmtp
