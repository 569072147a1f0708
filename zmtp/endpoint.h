#pragma once
// An endpoint as users write it: transport://address.

#include "zmtp/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace zmtp {

// `host` is a name, an IPv4 address or an IPv6 address (written in brackets, kept without them).
struct host_port {
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const host_port&, const host_port&) = default;
};

// tcp://host:port. To bind, `host` may also be the name of an interface, or "*": every address. `port`
// 0, written 0 or *, is the system's choice.
struct tcp_address {
  std::string host;
  std::uint16_t port = 0;
  // tcp://source:port;host:port, to connect: from this address or interface of ours, and from this
  // port unless it is 0, which need not be written.
  std::optional<host_port> source{};

  friend bool operator==(const tcp_address&, const tcp_address&) = default;
};

// ipc://path, of a file; ipc://@name, of Linux's abstract names, which are no files; ipc://*, to bind:
// a path of our choice.
struct ipc_address {
  static constexpr std::size_t max_size = 107;  // octets: what sockaddr_un holds, and a zero

  std::string path;

  [[nodiscard]] bool abstract() const noexcept { return path.starts_with('@'); }

  friend bool operator==(const ipc_address&, const ipc_address&) = default;
};

// inproc://name, within one process.
struct inproc_address {
  static constexpr std::size_t max_size = 255;  // octets

  std::string name;

  friend bool operator==(const inproc_address&, const inproc_address&) = default;
};

struct endpoint {
  std::variant<tcp_address, ipc_address, inproc_address> address{};

  // Errors: errc::bad_endpoint, errc::unknown_transport, errc::address_too_long.
  [[nodiscard]] static result<endpoint> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
  // Whether one can bind to it: it has no source.
  [[nodiscard]] bool bindable() const noexcept;
  // Whether one can connect to it: it leaves nothing to be chosen.
  [[nodiscard]] bool connectable() const noexcept;

  // The address, if it is of this transport; else nothing.
  [[nodiscard]] const tcp_address* tcp() const noexcept {
    return std::get_if<tcp_address>(&address);
  }
  [[nodiscard]] const ipc_address* ipc() const noexcept {
    return std::get_if<ipc_address>(&address);
  }
  [[nodiscard]] const inproc_address* inproc() const noexcept {
    return std::get_if<inproc_address>(&address);
  }

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

}  // namespace zmtp
