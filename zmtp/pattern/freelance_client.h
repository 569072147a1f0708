#pragma once
// A Freelance client (the Guide, chapter 4; 10/FLP): servers without a broker. The decisions are
// freelance_client_state's.

#include "zmtp/message.h"
#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/freelance_client_state.h"
#include "zmtp/socket/completion_handler.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {

// Connected to each of its servers, and asks them as freelance_client_options::model says. Calls may be in
// flight in any number.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class freelance_client {
public:
  // Throws boost::system::system_error: call_errc::no_servers, call_errc::bad_call_option (a time that is not
  // positive, or more than 64 servers), what zmtp::socket::connect throws.
  freelance_client(boost::asio::any_io_executor executor, const std::vector<std::string>& servers,
                   const freelance_client_options& options = {});
  freelance_client(const freelance_client&) = delete;
  freelance_client& operator=(const freelance_client&) = delete;
  // Stops.
  ~freelance_client();

  // Asks the servers; as soon as there is one, if none is there yet.
  // Completes with error_code and the answer's parts.
  // Cancellation: terminal, partial, total; the call may have been carried out all the same.
  // Errors: call_errc::no_answer (in time, or of a server that was lost; it may have been carried out),
  // not_sent (nobody was there: it was not), too_many_calls; errc::bad_message (no parts);
  // operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code, message)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_call(message body, const freelance_call_options& how,
                                Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, message)>(
        [this](answer_handler h, message&& what, const freelance_call_options& with) {
          start(std::move(what), with, std::move(h));
        },
        token, std::move(body), how);
  }

  [[nodiscard]] const freelance_client_counters& counters() const noexcept;

  // Calls in flight complete with operation_aborted, later ones too.
  void stop();

private:
  class core;
  using answer_handler = completion_handler<void(boost::system::error_code, message)>;

  void start(message&& body, const freelance_call_options& how, answer_handler&& handler);

  boost::asio::any_io_executor executor_;
  std::weak_ptr<core> core_;  // which goes with the context
  std::shared_ptr<const freelance_client_state> state_;
};

}  // namespace zmtp
