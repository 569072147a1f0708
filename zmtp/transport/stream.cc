#include "zmtp/transport/stream.h"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace zmtp::transport {

namespace {

constexpr int keepalive_seconds = 30;
constexpr std::size_t max_pieces = 64;

void set_option(int fd, int level, int name, int value) noexcept {
  // What the socket does not know (a local one has no TCP options) it can do without.
  ::setsockopt(fd, level, name, &value, sizeof value);
}

error_code last_error() noexcept {
  if (errno == EAGAIN || errno == EWOULDBLOCK) {
    return asio::error::would_block;
  }
  return {errno, boost::system::system_category()};
}

}  // namespace

void set_up(stream& s) noexcept {
  error_code ignored;
  s.non_blocking(true, ignored);
  const auto fd = s.native_handle();
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, keepalive_seconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, keepalive_seconds / 3);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

std::size_t read_some(stream& s, std::span<std::byte> to, error_code& ec) noexcept {
  for (;;) {
    const auto count = ::recv(s.native_handle(), to.data(), to.size(), MSG_DONTWAIT);
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

std::size_t write_some(stream& s, std::span<const std::span<const std::byte>> pieces,
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
    const auto written = ::sendmsg(s.native_handle(), &header, MSG_DONTWAIT | MSG_NOSIGNAL);
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

bool acknowledged(stream& s) noexcept {
  ::tcp_info info{};
  ::socklen_t size = sizeof info;
  if (::getsockopt(s.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
    return true;  // no TCP: the kernel itself would have told of the loss
  }
  return info.tcpi_unacked == 0;
}

std::string remote_address(const stream& s) {
  error_code ec;
  const auto peer = s.remote_endpoint(ec);
  if (ec || (peer.protocol().family() != AF_INET && peer.protocol().family() != AF_INET6)) {
    return {};
  }
  asio::ip::tcp::endpoint address;
  std::memcpy(address.data(), peer.data(), std::min(peer.size(), address.capacity()));
  const auto host = address.address().to_string();
  return (address.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(address.port());
}

}  // namespace zmtp::transport
