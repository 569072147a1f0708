#pragma once
// A socket of the type that the command line names.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/options.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"
#include "zmtp/socket_type.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace zinc {

// Returns the type with this name, in lower or upper case. Throws std::invalid_argument with the valid names.
[[nodiscard]] zmtp::socket_type type_named(const std::string& name);
// Returns "pair, pub, ...".
[[nodiscard]] std::string type_names();

class any_socket {
public:
  // Throws boost::system::system_error with errc::bad_option.
  any_socket(const boost::asio::any_io_executor& executor, zmtp::socket_type type,
             const zmtp::socket_options& options);

  [[nodiscard]] zmtp::socket& base();
  // Calls `f` with the socket in its own type.
  template <class Function>
  decltype(auto) visit(Function&& f) {
    return std::visit(std::forward<Function>(f), socket_);
  }

  // Binds or connects to each. Returns what was bound.
  // Throws boost::system::system_error, which names the endpoint.
  std::vector<zmtp::endpoint> attach(const std::vector<std::string>& endpoints, bool bind);
  // Has no effect on types other than SUB and XSUB. Throws boost::system::system_error.
  void subscribe(std::string_view prefix);

  // Returns false if no message arrived or the type does not receive. A ROUTER puts the routing id first.
  [[nodiscard]] bool try_receive(zmtp::message& to);
  // Calls the function of the socket, which must be of a type that receives.
  template <class Token>
  auto async_wait_readable(zmtp::deadline until, Token&& token) {
    return boost::asio::async_initiate<Token, void(zmtp::error_code)>(
        [this](zmtp::completion_handler<void(zmtp::error_code)> h, zmtp::deadline when) {
          wait_readable(when, std::move(h));
        },
        token, until);
  }
  // Calls the function of the socket, which must be of a type that sends. A ROUTER sends to the peer that the first
  // part names.
  template <class Token>
  auto async_send(zmtp::message_batch& batch, zmtp::deadline until, Token&& token) {
    return boost::asio::async_initiate<Token, void(zmtp::error_code, std::size_t)>(
        [this, &batch](zmtp::completion_handler<void(zmtp::error_code, std::size_t)> h,
                       zmtp::deadline when) { send(batch, when, std::move(h)); },
        token, until);
  }

private:
  using sockets =
      std::variant<zmtp::pair_socket, zmtp::pub_socket, zmtp::sub_socket, zmtp::req_socket,
                   zmtp::rep_socket, zmtp::dealer_socket, zmtp::router_socket, zmtp::pull_socket,
                   zmtp::push_socket, zmtp::xpub_socket, zmtp::xsub_socket>;

  [[nodiscard]] static sockets make(const boost::asio::any_io_executor& executor,
                                    zmtp::socket_type type, const zmtp::socket_options& options);
  void wait_readable(zmtp::deadline until,
                     zmtp::completion_handler<void(zmtp::error_code)> handler);
  void send(zmtp::message_batch& batch, zmtp::deadline until,
            zmtp::completion_handler<void(zmtp::error_code, std::size_t)> handler);

  sockets socket_;
};

}  // namespace zinc
