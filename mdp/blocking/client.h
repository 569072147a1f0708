#pragma once
// A Majordomo client for code that runs no event loop: calls that return when they are done.

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

// mdp::client in the thread of a context, which must outlive it.
//
// Thread safety: calls may come from several threads at once, each with a connection of its own while it
// waits; not from the context's own thread.
class client {
public:
  // Throws what mdp::client throws.
  client(zmtp::blocking::context& in, std::string_view broker, const client_options& options = {});
  client(zmtp::blocking::context& in, std::vector<std::string> brokers,
         const client_options& options = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Stops. No call may be under way.
  ~client();

  // Asks a service, sleeps until the request has ended, and returns the reply's parts; those of PARTIALs
  // before it are dropped.
  // Errors: those of mdp::client::async_request; thrown as boost::system::system_error by the first form.
  zmtp::message request(std::string service, zmtp::message body, const request_options& how = {});
  zmtp::message request(std::string service, zmtp::message body, const request_options& how,
                        boost::system::error_code& ec);
  // Ends calls under way with operation_aborted, and later ones.
  void stop();

private:
  boost::asio::any_io_executor executor_;
  std::unique_ptr<mdp::client> client_;  // belongs to the context's thread
};

}  // namespace mdp::blocking
