#include "bench/limits/tcp.h"

#include "bench/support/arguments.h"

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace bench::limits {
namespace {

constexpr int backlog = 4096;
constexpr std::chrono::milliseconds connect_interval{2};

sockaddr_in address_of(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (host != "*" && ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    fail("'" + host + "' is not an IPv4 address; write one, or * for all");
  }
  return address;
}

descriptor make_socket(int flags) {
  descriptor made{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)};
  if (made.number() < 0) {
    fail_errno("cannot make a socket");
  }
  return made;
}

void set_option(const descriptor& socket, int level, int option, int value = 1) {
  if (::setsockopt(socket.number(), level, option, &value, sizeof value) != 0) {
    fail_errno("cannot set a socket option");
  }
}

// On connecting sockets too: thousands of them leave their ports in TIME_WAIT, and the next program
// may be told to bind one of these.
void allow_reuse(const descriptor& socket) { set_option(socket, SOL_SOCKET, SO_REUSEADDR); }

bool try_connect(const descriptor& socket, const sockaddr_in& address) {
  return ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
         0;
}

void bind_to(const descriptor& socket, const std::string& host, std::uint16_t port) {
  const sockaddr_in address = address_of(host, port);
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail_errno("cannot bind " + host + ":" + std::to_string(port));
  }
}

bool is_transient(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

descriptor::~descriptor() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

descriptor listen_at(const tcp_endpoint& endpoint) {
  descriptor listener = make_socket(0);
  allow_reuse(listener);
  bind_to(listener, endpoint.host, endpoint.port);
  if (::listen(listener.number(), backlog) != 0) {
    fail_errno("cannot listen at " + endpoint.text());
  }
  return listener;
}

descriptor accept_one(const descriptor& listener) {
  descriptor accepted{::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC)};
  if (accepted.number() < 0) {
    fail_errno("cannot accept a connection");
  }
  return accepted;
}

descriptor connect_to(const tcp_endpoint& endpoint) {
  const sockaddr_in address = address_of(endpoint.host, endpoint.port);
  while (true) {
    descriptor socket = make_socket(0);
    allow_reuse(socket);
    if (try_connect(socket, address)) {
      return socket;
    }
    if (errno != ECONNREFUSED) {
      fail_errno("cannot connect to " + endpoint.text());
    }
    std::this_thread::sleep_for(connect_interval);
  }
}

descriptor start_connecting(const tcp_endpoint& endpoint, const std::string& source_address) {
  descriptor socket = make_socket(SOCK_NONBLOCK);
  allow_reuse(socket);
  // The system chooses the port at connect(), so that one port serves many destinations.
  set_option(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT);
  bind_to(socket, source_address, 0);
  if (!try_connect(socket, address_of(endpoint.host, endpoint.port)) && errno != EINPROGRESS) {
    fail_errno("cannot connect to " + endpoint.text());
  }
  return socket;
}

void finish_connecting(const descriptor& socket) {
  socklen_t length = sizeof errno;
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &errno, &length) != 0 || errno != 0) {
    fail_errno("cannot connect");
  }
}

void set_no_delay(const descriptor& socket) { set_option(socket, IPPROTO_TCP, TCP_NODELAY); }

void wait_for_bytes(const descriptor& socket, int bytes) {
  set_option(socket, SOL_SOCKET, SO_RCVLOWAT, bytes);
}

void set_nonblocking(const descriptor& socket) {
  const int flags = ::fcntl(socket.number(), F_GETFL);
  if (flags < 0 || ::fcntl(socket.number(), F_SETFL, flags | O_NONBLOCK) != 0) {
    fail_errno("cannot make a socket non-blocking");
  }
}

std::optional<std::size_t> read_some(const descriptor& socket, std::span<std::byte> into) {
  const auto length = ::read(socket.number(), into.data(), into.size());
  if (length >= 0) [[likely]] {
    return static_cast<std::size_t>(length);
  }
  if (errno == ECONNRESET) {
    return 0;
  }
  if (!is_transient(errno)) {
    fail_errno("cannot read");
  }
  return std::nullopt;
}

std::size_t read_blocking(const descriptor& socket, std::span<std::byte> into) {
  while (true) {
    if (const auto length = read_some(socket, into)) [[likely]] {
      return *length;
    }
  }
}

std::size_t write_some(const descriptor& socket, std::span<const std::byte> bytes) {
  const auto length = ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (length >= 0) [[likely]] {
    return static_cast<std::size_t>(length);
  }
  if (!is_transient(errno)) {
    fail_errno("cannot write");
  }
  return 0;
}

void write_all(const descriptor& socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    bytes = bytes.subspan(write_some(socket, bytes));
  }
}

}  // namespace bench::limits
