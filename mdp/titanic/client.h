#pragma once
// Titanic's client (9/TSP) for applications: leaves a request, and comes back for the reply.

#include "mdp/conversation_handlers.h"
#include "mdp/options.h"
#include "mdp/titanic/error.h"
#include "mdp/titanic/request_id.h"
#include "zmtp/message.h"
#include "zmtp/socket/completion_handler.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mdp::titanic {

struct client_options {
  version protocol = version::v01;
  // Of an attempt to reach Titanic, and how many there are. A request without an id of its own is sent
  // once: a second attempt could store it twice.
  std::chrono::milliseconds timeout{2'500};
  unsigned attempts = 3;
  // Between two questions for the reply, and before what could not be stored is tried again: doubling.
  std::chrono::milliseconds least_wait{10};
  std::chrono::milliseconds most_wait{1'000};
};

// Thread safety: distinct objects safe, one object not; its executor must be serial.
class client {
public:
  // Throws what zmtp::socket::connect throws.
  client(boost::asio::any_io_executor executor, std::string_view broker,
         const client_options& options = {}, conversation_handlers handlers = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Stops.
  ~client();

  // Operations in flight complete with operation_aborted, later ones too.
  void stop();

  // Leaves a request; asks again where it is said that it could not be stored.
  // Completes with error_code and the id: the request is stored, and will be carried out once or more.
  // Cancellation: terminal, partial, total; the request may have been stored all the same.
  // Errors: errc::bad_request, not_stored, bad_reply; of mdp: no_reply (it may have been stored),
  // not_connected (it was not), no_service, service_too_long, no_body, too_many_frames;
  // operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code, request_id)> Token =
                boost::asio::deferred_t>
  auto async_request(std::string service, zmtp::message body, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, request_id)>(
        [this](id_handler h, std::string&& name, zmtp::message&& what) {
          start_request(std::move(name), std::move(what), std::move(h));
        },
        token, std::move(service), std::move(body));
  }

  // The same with an id of one's own, which Titanic of this project takes: asks again also where there is
  // no answer, and may itself be called again, also by another process: the id names one request until
  // it is closed, the one it came with first. It is also what the reply is asked by: draw it with
  // random_id(), for who knows it can do so.
  // Completes with error_code; none: the request is stored.
  // Cancellation: terminal, partial, total; the request may have been stored all the same.
  // Errors: as above. no_reply: also where no such Titanic is there.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  auto async_submit(request_id id, std::string service, zmtp::message body, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](code_handler h, request_id which, std::string&& name, zmtp::message&& what) {
          start_submit(which, std::move(name), std::move(what), std::move(h));
        },
        token, id, std::move(service), std::move(body));
  }

  // Asks for the reply, once. It stays where it is: asked again it is the same.
  // Completes with error_code and the reply's parts.
  // Cancellation: terminal, partial, total.
  // Errors: errc::pending, unknown_id, request_failed, bad_reply; of mdp: no_reply, not_connected;
  // operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  auto async_reply(request_id id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, zmtp::message)>(
        [this](reply_handler h, request_id which) { start_reply(which, false, std::move(h)); },
        token, id);
  }

  // The same, again and again until there is a reply or none to come; also while Titanic or the broker
  // is away. Errors: errc::unknown_id, request_failed, bad_reply; operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  auto async_wait(request_id id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, zmtp::message)>(
        [this](reply_handler h, request_id which) { start_reply(which, true, std::move(h)); },
        token, id);
  }

  // The request and its reply are not needed any more. Also for a request that is not there.
  // Completes with error_code.
  // Cancellation: terminal, partial, total; the request may be closed all the same.
  // Errors: errc::not_stored (it may come back), bad_reply; of mdp: no_reply, not_connected;
  // operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  auto async_close(request_id id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](code_handler h, request_id which) { start_close(which, std::move(h)); }, token, id);
  }

private:
  class core;
  using id_handler = zmtp::completion_handler<void(boost::system::error_code, request_id)>;
  using reply_handler = zmtp::completion_handler<void(boost::system::error_code, zmtp::message)>;
  using code_handler = zmtp::completion_handler<void(boost::system::error_code)>;

  void start_request(std::string&& service, zmtp::message&& body, id_handler&& handler);
  void start_reply(request_id id, bool wait, reply_handler&& handler);
  void start_submit(request_id id, std::string&& service, zmtp::message&& body,
                    code_handler&& handler);
  void start_close(request_id id, code_handler&& handler);

  std::shared_ptr<core> core_;
};

}  // namespace mdp::titanic
