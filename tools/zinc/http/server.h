#pragma once
// An HTTP server for the figures of a component: /metrics, /status, /healthz, /readyz and the page.
// With operations, /operator lists and changes things.

#include "tools/zinc/http/address.h"
#include "tools/zinc/http/counters.h"
#include "tools/zinc/http/limits.h"
#include "tools/zinc/http/operations.h"
#include "tools/zinc/http/report.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string>

namespace zinc::http {

// Answers requests until it is stopped or destroyed. If all connections are in use, the server
// evicts the connection that has waited longest for a request. No request ends the process.
//
// Lifetime: the context must outlive the server.
// Thread safety: none. The executor must be serial: an io_context that one thread runs, or a strand.
class server {
public:
  server(boost::asio::any_io_executor executor, reporter of, const limits& at_most = {},
         operations of_operator = {});
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  // Calls stop().
  ~server();

  // Listens and returns the address with its port. Must be called once.
  [[nodiscard]] address bind(const address& at, boost::system::error_code& ec);
  // Instead of bind(): answers connections that a socket of ws:// accepts at this address. The socket
  // gives them to the returned function: the descriptor, and the bytes that were read from it. Any
  // thread may call that function, also after the end of the server.
  [[nodiscard]] std::function<void(int descriptor, std::string read)> share(const address& at);
  // Closes all connections, so that the context can end.
  void stop();

  [[nodiscard]] const counters& counted() const noexcept;

private:
  class core;
  std::shared_ptr<core> core_;
};

}  // namespace zinc::http
