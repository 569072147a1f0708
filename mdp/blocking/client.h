#pragma once
// A Majordomo client for code without an event loop. Each call returns when it is done.

#include "mdp/client.h"
#include "mdp/options.h"
#include "zmtp/blocking/context.h"
#include "zmtp/message.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mdp::blocking {

// A blocking mdp::client that runs in the thread of a context. The context must outlive it.
//
// Thread safety: several threads may call one object at once. Each call uses a connection of its
// own while it waits. The context's own thread must not call it, because it would wait for itself.
class client {
public:
  // Throws: see mdp::client.
  client(zmtp::blocking::context& in, std::string_view broker, const client_options& options = {});
  client(zmtp::blocking::context& in, std::vector<std::string> brokers,
         const client_options& options = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Calls stop(). No other call may be in progress.
  ~client();

  // Sends a request to a service, waits until the request has ended, and returns the parts of the
  // reply. PARTIALs are dropped.
  // Errors: those of mdp::client::async_request. The first form throws them as
  // boost::system::system_error.
  zmtp::message request(std::string service, zmtp::message body, const request_options& how = {});
  zmtp::message request(std::string service, zmtp::message body, const request_options& how,
                        boost::system::error_code& ec);
  // Ends calls in progress and later calls with operation_aborted.
  void stop();

private:
  boost::asio::any_io_executor executor_;
  std::unique_ptr<mdp::client> client_;  // used only in the context's thread
};

}  // namespace mdp::blocking
