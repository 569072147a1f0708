#pragma once
// Counts how often this program reads from and writes to sockets, and makes its calls fail. Linking it
// replaces the C library's calls.

#include <cstddef>
#include <ostream>
#include <span>
#include <string_view>

namespace zmtp::test {

struct descriptor_calls {
  std::size_t reads = 0;
  std::size_t writes = 0;
  std::size_t read_bytes = 0;
  std::size_t written_bytes = 0;
};

// Returns the counts of this thread since the last reset, by descriptor.
[[nodiscard]] std::span<const descriptor_calls> counted_calls() noexcept;
void reset_counted_calls() noexcept;

// The calls on a socket that can fail on request.
enum class system_call {
  open,        // socket
  bind,        // bind
  listen,      // listen
  connect,     // connect
  accept,      // accept4
  watch,       // epoll_ctl, to add it; the kernel does the rest without fail
  read,        // read, readv, recv, recvmsg
  write,       // write, writev, send, sendmsg
  set_option,  // setsockopt
  get_option,  // getsockopt
  name,        // getsockname, getpeername
  control,     // ioctl
  shut_down,   // shutdown
  close,       // close; closes the descriptor anyway
};

[[nodiscard]] std::string_view to_string(system_call call) noexcept;
std::ostream& operator<<(std::ostream& to, system_call call);

// Makes one call of this thread fail with `error`: the call of this kind after the next `skipped`.
// If `error` says that the connection is lost, it is lost. Replaces the failure that was planned
// before.
void fail_call(system_call call, std::size_t skipped, int error) noexcept;
// Nothing fails any more. Returns whether something has.
bool stop_failing() noexcept;

}  // namespace zmtp::test
