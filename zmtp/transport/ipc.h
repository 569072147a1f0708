#pragma once
// ipc:// — streams between processes of one machine, met at a file or at an abstract name of Linux's.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/transport/stream.h"

#include <string>
#include <sys/types.h>

namespace zmtp::transport {

// The file at which a socket listens. Removes it when it ends, if it is still the file of this socket:
// another may have put its own in its place. A child of fork(), which has a copy of this, removes
// nothing.
class ipc_file {
public:
  ipc_file() noexcept = default;
  // `path` has just been bound.
  explicit ipc_file(const std::string& path);
  ipc_file(ipc_file&& other) noexcept { swap(other); }
  ipc_file& operator=(ipc_file&& other) noexcept;
  ~ipc_file() { remove(); }

  // Called while the socket still listens, so that nobody takes the file for a stale one meanwhile.
  void remove() noexcept;

private:
  void swap(ipc_file& other) noexcept;

  std::string path_;  // from the root: the process may go to another folder; empty if there is none
  ::dev_t device_ = 0;
  ::ino_t inode_ = 0;
  ::pid_t maker_ = 0;
};

// The address as the kernel has it.
[[nodiscard]] stream_address kernel_address(const ipc_address& from);

// Binds and listens; `bound` becomes the address, with the path that was chosen. The file has the mode
// of `options` from the first moment. A socket's file that is in the way is replaced if nobody listens
// at it; any other file is left alone. Two that bind to one path at the same time exclude one another
// where they can lock its folder, which takes permission to read it.
// Errors: errc::path_taken, errc::address_too_long (the folder for temporary files), and the
// system's, such as address_in_use.
[[nodiscard]] error_code listen_ipc(listening_socket& socket, const ipc_address& at,
                                    const transport_options& options, int backlog,
                                    ipc_address& bound, ipc_file& file);

// Local connections are there at once or never: where the other side's queue of newcomers is full,
// that is would_block, and no event says when it has room.
[[nodiscard]] error_code connect_ipc(stream& s, const ipc_address& to,
                                     const transport_options& options);

}  // namespace zmtp::transport
