#include "zmtp/transport/acknowledgement.h"

// The kernel's own header, which has more TCP fields than <netinet/tcp.h>. Both cannot be included
// together.
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace zmtp::transport {

acknowledgement acknowledged(int descriptor) noexcept {
  ::tcp_info info{};
  ::socklen_t size = sizeof info;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
    return {};
  }
  // If the peer's window is full, TCP sends probes from time to time, and nothing else is
  // unacknowledged. One probe may be unanswered at this moment. Two mean that the peer does not
  // answer.
  return {.bytes = info.tcpi_bytes_acked,
          .complete = info.tcpi_unacked == 0 && info.tcpi_probes < 2};
}

std::size_t unacknowledged(int descriptor) noexcept {
  int bytes = 0;
  return ::ioctl(descriptor, SIOCOUTQ, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

bool reset(int descriptor) noexcept {
  int error = 0;
  ::socklen_t size = sizeof error;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0;
}

}  // namespace zmtp::transport
