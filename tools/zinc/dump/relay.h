#pragma once
// Accepts connections, connects each to an endpoint, passes bytes on unchanged and shows them to an
// observer. Keeps at most 64 KiB for each direction: a slow reader slows its writer down.

#include "tools/zinc/dump/record.h"
#include "zmtp/endpoint.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace zinc::dump {

// Of one connection. Destroyed when it has ended.
class relay_observer {
public:
  virtual ~relay_observer() = default;
  virtual void on_opened(const std::string& peer) = 0;
  virtual void on_bytes(side from, std::string_view bytes) = 0;
  virtual void on_end(side from) = 0;
  // `why` is empty if both sides have ended their streams.
  virtual void on_closed(const std::string& why) = 0;
};

class relayed_connections;

class relay {
public:
  using make_observer = std::function<std::unique_ptr<relay_observer>()>;

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
