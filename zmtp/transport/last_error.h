#pragma once
// The error of the last system call.

#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include <cerrno>

namespace zmtp::transport {

[[nodiscard]] inline boost::system::error_code last_error() noexcept {
  if (errno == EAGAIN || errno == EWOULDBLOCK) {
    return boost::asio::error::would_block;
  }
  return {errno, boost::system::system_category()};
}

}  // namespace zmtp::transport
