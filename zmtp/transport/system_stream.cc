#include "zmtp/transport/system_stream.h"

#include "zmtp/transport/acknowledgement.h"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

namespace zmtp::transport {

namespace {

// Ignores errors, because a missing option only makes a connection slower.
void set_option(int fd, int level, int name, int value) noexcept {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

void set_up_keepalive(int fd, const keepalive_options& keepalive) noexcept {
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, static_cast<int>(keepalive.idle.count()));
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, static_cast<int>(keepalive.interval.count()));
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, keepalive.count);
}

void set_up_tcp(int fd, int family, const transport_options& options) noexcept {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (options.keepalive) {
    set_up_keepalive(fd, *options.keepalive);
  }
  if (options.user_timeout) {
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(options.user_timeout->count()));
  }
  if (options.type_of_service) {
    // An IPv6 socket may have an IPv4 peer.
    set_option(fd, IPPROTO_IP, IP_TOS, *options.type_of_service);
    if (family == AF_INET6) {
      set_option(fd, IPPROTO_IPV6, IPV6_TCLASS, *options.type_of_service);
    }
  }
}

// Must run before listen() or connect(), because the sizes decide what TCP offers to its peer.
void set_up(int fd, int family, const transport_options& options) noexcept {
  if (options.send_buffer) {
    set_option(fd, SOL_SOCKET, SO_SNDBUF, *options.send_buffer);
  }
  if (options.receive_buffer) {
    set_option(fd, SOL_SOCKET, SO_RCVBUF, *options.receive_buffer);
  }
  if (family != AF_UNIX) {
    set_up_tcp(fd, family, options);
  }
}

template <class Socket>
error_code adopt(Socket& s, int fd, int family, const transport_options& options) {
  if (fd < 0) {
    return last_error();
  }
  set_up(fd, family, options);
  error_code ec;
  s.assign({family, 0}, fd, ec);
  if (ec) {
    ::close(fd);
  }
  return ec;
}

template <class Socket>
error_code open_as(Socket& s, int family, const transport_options& options) {
  error_code ignored;
  s.close(ignored);
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return adopt(s, fd, family, options);
}

// The name of the listening side of an ipc connection. The connecting side has no name.
std::string ipc_name(const stream_address& address) {
  constexpr auto offset = offsetof(::sockaddr_un, sun_path);
  if (address.size() <= offset) {
    return {};
  }
  ::sockaddr_un local{};
  std::memcpy(&local, address.data(), std::min(address.size(), sizeof local));
  const std::string_view bytes{local.sun_path, address.size() - offset};
  if (bytes.front() == '\0') {
    return "@" + std::string{bytes.substr(1)};
  }
  return std::string{bytes.substr(0, bytes.find('\0'))};
}

asio::ip::tcp::endpoint endpoint_of(const stream_address& address) {
  asio::ip::tcp::endpoint known;
  std::memcpy(known.data(), address.data(), std::min(address.size(), known.capacity()));
  return known;
}

std::string tcp_name(const stream_address& address) {
  const auto known = endpoint_of(address);
  auto host = known.address();
  if (host.is_v6() && host.to_v6().is_v4_mapped()) {
    host = asio::ip::make_address_v4(asio::ip::v4_mapped, host.to_v6());
  }
  const auto text = host.to_string();
  return (host.is_v6() ? "[" + text + "]" : text) + ":" + std::to_string(known.port());
}

std::array<std::uint8_t, 16> tcp_host(const stream_address& address) {
  const auto host = endpoint_of(address).address();
  return host.is_v6() ? host.to_v6().to_bytes()
                      : asio::ip::make_address_v6(asio::ip::v4_mapped, host.to_v4()).to_bytes();
}

// `descriptor` is a local socket.
std::optional<process_credentials> local_process(int descriptor) noexcept {
  ::ucred peer{};
  ::socklen_t size = sizeof peer;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return std::nullopt;
  }
  return process_credentials{peer.pid, peer.uid, peer.gid};
}

}  // namespace

error_code open(stream_socket& s, int family, const transport_options& options) {
  return open_as(s, family, options);
}

error_code open(listening_socket& s, int family, const transport_options& options) {
  return open_as(s, family, options);
}

error_code accept(listening_socket& from, stream_socket& to, const transport_options& options) {
  ::sockaddr_storage address{};
  for (;;) {
    ::socklen_t size = sizeof address;
    const int fd = ::accept4(from.native_handle(), reinterpret_cast<::sockaddr*>(&address), &size,
                             SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 || errno != EINTR) {
      return adopt(to, fd, address.ss_family, options);
    }
  }
}

std::size_t system_stream::read_some(std::span<std::byte> to, error_code& ec) noexcept {
  for (;;) {
    const auto count = ::recv(descriptor(), to.data(), to.size(), MSG_DONTWAIT);
    if (count > 0) {
      ec = {};
      return static_cast<std::size_t>(count);
    }
    if (count == 0) {
      ec = asio::error::eof;
      return 0;
    }
    if (errno != EINTR) {
      ec = last_error();
      return 0;
    }
  }
}

std::size_t system_stream::write_some(std::span<const std::span<const std::byte>> pieces,
                                      error_code& ec) noexcept {
  std::array<::iovec, max_pieces> vectors;
  const auto count = std::min(pieces.size(), max_pieces);
  for (std::size_t i = 0; i < count; ++i) {
    vectors[i].iov_base = const_cast<std::byte*>(pieces[i].data());
    vectors[i].iov_len = pieces[i].size();
  }
  ::msghdr header{};
  header.msg_iov = vectors.data();
  header.msg_iovlen = count;
  for (;;) {
    const auto written = ::sendmsg(descriptor(), &header, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written >= 0) {
      ec = {};
      return static_cast<std::size_t>(written);
    }
    if (errno != EINTR) {
      ec = last_error();
      return 0;
    }
  }
}

void system_stream::wait(stream_side side, std::shared_ptr<stream_user> user) {
  socket_.async_wait(
      side == stream_side::read ? stream_socket::wait_read : stream_socket::wait_write,
      [side, user = std::move(user)](error_code ec) { user->on_ready(side, ec); });
}

void system_stream::shutdown_send() noexcept {
  error_code ignored;
  socket_.shutdown(stream_socket::shutdown_send, ignored);
}

void system_stream::shutdown() noexcept {
  error_code ignored;
  socket_.shutdown(stream_socket::shutdown_both, ignored);
}

void system_stream::close() noexcept {
  error_code ignored;
  socket_.close(ignored);
}

acknowledgement system_stream::acknowledged() const noexcept {
  return transport::acknowledged(descriptor());
}

std::size_t system_stream::unacknowledged() const noexcept {
  return transport::unacknowledged(descriptor());
}

bool system_stream::reset() noexcept { return transport::reset(descriptor()); }

remote_end system_stream::remote() const {
  error_code ec;
  const auto peer = socket_.remote_endpoint(ec);
  if (ec) {
    return {};
  }
  if (peer.protocol().family() == AF_UNIX) {
    const auto name = ipc_name(peer);
    return {.address = name.empty() ? ipc_name(socket_.local_endpoint(ec)) : name,
            .host = {},
            .process = local_process(descriptor())};
  }
  return {.address = tcp_name(peer), .host = tcp_host(peer), .process = {}};
}

int system_stream::release() noexcept {
  error_code ec;
  const int given = socket_.release(ec);
  return ec ? -1 : given;
}

}  // namespace zmtp::transport
