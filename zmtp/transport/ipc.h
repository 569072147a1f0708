#pragma once
// ipc:// — streams between processes of one machine, at a file or at an abstract name of Linux.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/transport/system_stream.h"

#include <string>
#include <sys/types.h>

namespace zmtp::transport {

// The file of a listening socket. The destructor removes the file if it still belongs to this
// socket, because another socket may have replaced it. In the child of a fork, the copy removes
// nothing.
class ipc_file {
public:
  ipc_file() noexcept = default;
  // `path` must have just been bound.
  explicit ipc_file(const std::string& path);
  ipc_file(ipc_file&& other) noexcept { swap(other); }
  ipc_file& operator=(ipc_file&& other) noexcept;
  ~ipc_file() { remove(); }

  // Must be called while the socket still listens, so that no other process treats the file as
  // stale.
  void remove() noexcept;

private:
  void swap(ipc_file& other) noexcept;

  std::string path_;  // absolute, because the process may change its folder; empty: no file
  ::dev_t device_ = 0;
  ::ino_t inode_ = 0;
  ::pid_t maker_ = 0;
};

// The address in the form of the kernel.
[[nodiscard]] stream_address kernel_address(const ipc_address& from);

// Binds and listens. Sets `bound` to the address, with the path that was chosen. The file has the
// mode of `options` from the start. Replaces the file of a socket at which no process listens.
// Leaves any other file unchanged. If two processes bind to one path at the same time, they exclude
// each other by a lock on the folder, which requires read permission on it.
// Errors: errc::path_taken, errc::address_too_long (of the folder for temporary files), and errors
// of the system such as address_in_use.
[[nodiscard]] error_code listen_ipc(listening_socket& socket, const ipc_address& at,
                                    const transport_options& options, int backlog,
                                    ipc_address& bound, ipc_file& file);

// Connects to a local socket. The attempt succeeds or fails immediately. If the backlog of the
// other side is full, the error is would_block, and no event reports when it has space.
[[nodiscard]] error_code connect_ipc(stream_socket& s, const ipc_address& to,
                                     const transport_options& options);

}  // namespace zmtp::transport
