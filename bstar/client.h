#pragma once
// Asks a Binary Star pair: the node that answered last, and the other one when it does not any more.

#include "zmtp/message.h"
#include "zmtp/pattern/lazy_pirate_client.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
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

// A Lazy Pirate that goes round the pair for as long as there is time, and lets it settle in between, as
// the Guide's bstarcli does: see zmtp::lazy_pirate_client.
//
// A request may be carried out twice: by a server that was lost before it could answer, and by the other.
//
// It goes before its context does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class client {
public:
  // `servers` are the endpoints of the voters, the primary's first.
  // Throws boost::system::system_error: zmtp::call_errc::no_servers, zmtp::call_errc::bad_call_option (a
  // timeout that is not positive, a negative settle), what zmtp::socket::connect throws.
  // `handlers` hear which server is asked, and which has not answered.
  client(boost::asio::any_io_executor executor, std::vector<std::string> servers,
         const client_options& options = {}, zmtp::lazy_pirate_handlers handlers = {});

  // Asks one server after the other until one answers.
  // Completes with error_code and the answer's parts.
  // Cancellation: terminal, partial, total; the request may have been carried out all the same.
  // Errors: as zmtp::lazy_pirate_client::async_request.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_request(zmtp::message body, zmtp::deadline until, Token&& token = {}) {
    return pirate_.async_request(std::move(body), until, std::forward<Token>(token));
  }

  // The endpoint of who is asked now.
  [[nodiscard]] std::string_view server() const noexcept { return pirate_.server(); }

  // Requests in flight complete with operation_aborted, later ones too.
  void stop() { pirate_.stop(); }

private:
  zmtp::lazy_pirate_client pirate_;
};

}  // namespace bstar
