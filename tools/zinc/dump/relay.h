#pragma once
// Accepts connections, connects each to an endpoint, passes bytes on unchanged and shows them to an
// observer. Keeps at most 64 KiB for each direction: a slow reader slows its writer down.

#include "tools/zinc/dump/stream_observer.h"
#include "zmtp/endpoint.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace zinc::dump {

class relayed_connections;

class relay {
public:
  // Throws boost::system::system_error.
  relay(const boost::asio::any_io_executor& executor, const zmtp::endpoint& listen,
        zmtp::endpoint connect, make_observer make);
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  [[nodiscard]] const zmtp::endpoint& bound() const;
  // Closes all connections.
  void stop();

private:
  std::shared_ptr<relayed_connections> all_;
};

}  // namespace zinc::dump
