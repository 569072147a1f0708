#pragma once
// A network that puts a stream between its sockets and the layers of layered.h, as a simulation does to
// observe the bytes of ZMTP.

#include "zmtp/transport/network.h"

#include <memory>

namespace zmtp::transport {

class stream_wrapper {
public:
  // Returns what a socket uses instead of `whole`. `carrier` is a stream of this network, below `whole` or
  // `whole` itself.
  [[nodiscard]] virtual std::unique_ptr<stream> wrapped(std::unique_ptr<stream> whole,
                                                        const stream& carrier) = 0;

protected:
  ~stream_wrapper() = default;
};

}  // namespace zmtp::transport
