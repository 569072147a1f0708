#pragma once
// An endpoint in its text form: transport://address.

#include "zmtp/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace zmtp {

// `host` is a name, an IPv4 address or an IPv6 address. IPv6 addresses have brackets in the text
// form, but not here.
struct host_port {
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const host_port&, const host_port&) = default;
};

// tcp://host:port, and tls+tcp://host:port for TLS over TCP. When binding, `host` may also be the
// name of an interface, or "*" for every address. Port 0, written 0 or *, lets the operating system
// choose a port.
struct tcp_address {
  std::string host;
  std::uint16_t port = 0;
  // tcp://source:port;host:port. When connecting, the socket connects from this local address or
  // interface. The port is optional. 0 lets the operating system choose.
  std::optional<host_port> source{};
  bool tls = false;  // tls+tcp://

  friend bool operator==(const tcp_address&, const tcp_address&) = default;
};

// Three forms:
// - ipc://path: a file.
// - ipc://@name: Linux's abstract namespace, which has no file.
// - ipc://*: only for binding. Zinc chooses the path.
struct ipc_address {
  // bytes: the capacity of sockaddr_un without its terminating zero
  static constexpr std::size_t max_size = 107;

  std::string path;

  [[nodiscard]] bool abstract() const noexcept { return path.starts_with('@'); }

  friend bool operator==(const ipc_address&, const ipc_address&) = default;
};

// inproc://name: a connection inside one process.
struct inproc_address {
  static constexpr std::size_t max_size = 255;  // bytes

  std::string name;

  friend bool operator==(const inproc_address&, const inproc_address&) = default;
};

// ws://host:port/path: WebSocket over TCP (45/ZWS 2.0), and wss:// over TLS. Host and port are those
// of tcp://, and the path is "/" if the text has none.
struct ws_address {
  static constexpr std::size_t max_path = 255;  // bytes

  std::string host;
  std::uint16_t port = 0;
  std::string path = "/";
  bool tls = false;  // wss://

  // Returns host:port as in a URL, with brackets around an IPv6 address.
  [[nodiscard]] std::string authority() const;

  friend bool operator==(const ws_address&, const ws_address&) = default;
};

struct endpoint {
  std::variant<tcp_address, ipc_address, inproc_address, ws_address> address{};

  // Parses the text form.
  // Errors: errc::bad_endpoint, errc::unknown_transport, errc::address_too_long.
  [[nodiscard]] static result<endpoint> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
  // Returns whether a socket can bind to this endpoint: the endpoint does not have a source.
  [[nodiscard]] bool bindable() const noexcept;
  // Returns whether a socket can connect to this endpoint: it has no wildcard and no port 0.
  [[nodiscard]] bool connectable() const noexcept;
  // Returns the host of an endpoint with TLS, and nullptr for others.
  [[nodiscard]] const std::string* tls_host() const noexcept;
  // Returns the endpoint of the transport below: of tcp for ws and TLS, and this endpoint otherwise.
  [[nodiscard]] endpoint carrier() const;
  // Returns this endpoint after its carrier() has been bound, as `bound`.
  [[nodiscard]] endpoint over(const endpoint& bound) const;

  // Returns the address if the endpoint has this transport, and nullptr otherwise.
  [[nodiscard]] const tcp_address* tcp() const noexcept {
    return std::get_if<tcp_address>(&address);
  }
  [[nodiscard]] const ipc_address* ipc() const noexcept {
    return std::get_if<ipc_address>(&address);
  }
  [[nodiscard]] const inproc_address* inproc() const noexcept {
    return std::get_if<inproc_address>(&address);
  }
  [[nodiscard]] const ws_address* ws() const noexcept { return std::get_if<ws_address>(&address); }

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

}  // namespace zmtp
