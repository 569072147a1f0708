#pragma once
// Asks a Binary Star pair: the node that answered last, and the other one when it does not any more.

#include "bstar/error.h"
#include "zmtp/message.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bstar {

struct client_options {
  // How long a server may take for an answer, before the other one is asked.
  std::chrono::milliseconds timeout{1'000};
  // How long the pair has to find out that a node is gone, before the other one is asked: two heartbeats
  // of the pair. What comes earlier is dropped by a passive.
  std::chrono::milliseconds settle{2'000};
};

// One request at a time, on a REQ, as the Guide's bstarcli does: so servers answer with what they were
// sent in front. It stays with a server that answers. Each attempt has a socket of its own, unless the one
// before was answered: an answer that is late is never taken for another's.
//
// A request may be carried out twice: by a server that was lost before it could answer, and by the other.
//
// It goes before its context does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class client {
public:
  // `servers` are the endpoints of the voters, the primary's first.
  // Throws boost::system::system_error: errc::no_servers, errc::bad_option (a timeout that is not positive,
  // a negative settle), what zmtp::socket::connect throws.
  client(boost::asio::any_io_executor executor, std::vector<std::string> servers,
         const client_options& options = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Stops.
  ~client();

  // Asks one server after the other until one answers.
  // Completes with error_code and the answer's parts.
  // Cancellation: terminal, partial, total; the request may have been carried out all the same.
  // Errors: errc::no_answer (by `until`; it may have been carried out), request_in_flight; zmtp's
  // bad_message (no parts); operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  auto async_request(zmtp::message body, zmtp::deadline until, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, zmtp::message)>(
        [this](answer_handler h, zmtp::message&& what, zmtp::deadline when) {
          start(std::move(what), when, std::move(h));
        },
        token, std::move(body), until);
  }

  // The endpoint of who is asked now.
  [[nodiscard]] std::string_view server() const noexcept;

  // Requests in flight complete with operation_aborted, later ones too.
  void stop();

private:
  class core;
  using answer_handler = zmtp::completion_handler<void(boost::system::error_code, zmtp::message)>;

  void start(zmtp::message&& body, zmtp::deadline until, answer_handler&& handler);

  std::shared_ptr<core> core_;
};

}  // namespace bstar
