#pragma once
// Reads the status of a server, over HTTP or from a broker over MMI.

#include "mdp/options.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace zinc::status {

// The groups of a broker that are asked for. A server of HTTP sends all.
struct wanted {
  bool totals = false;
  bool services = false;
  bool workers = false;
  bool clients = false;
};

struct answer {
  boost::json::value status;  // in the form of /status
  std::string remark{};       // the text about a gap; empty: the status is whole
};

class source {
public:
  source() = default;
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  virtual ~source() = default;

  // Throws status::fault. Reads must not overlap.
  virtual boost::asio::awaitable<answer> read(wanted groups) = 0;
  // Closes the connections. A read in progress fails.
  virtual void stop() = 0;
};

// `address`: http://HOST:PORT, or the endpoint of a broker. `options`: the time to wait for an answer, and the
// security of the broker's connections. Throws status::fault if the address is not valid.
[[nodiscard]] std::unique_ptr<source> open(const boost::asio::any_io_executor& executor,
                                           const std::string& address,
                                           const mdp::client_options& options);

[[nodiscard]] inline bool is_http(const std::string& address) {
  return address.starts_with("http://");
}

}  // namespace zinc::status
