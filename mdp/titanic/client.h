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
  // Time of an attempt to reach Titanic, and number of attempts. A request without an id of its own is sent once,
  // unless the broker recognises repeats (mdp::client_options::idempotent): otherwise a second attempt
  // could store it twice.
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
  // Completes with error_code and the id: the request is stored, and will be carried out once or more. The id
  // has the form that Titanic chose. The other operations send it back byte for byte.
  // Cancellation: terminal, partial, total; the request may have been stored all the same.
  // Errors: errc::bad_request, not_stored, bad_reply; of mdp: no_reply (it may have been stored),
  // not_connected (it was not), no_service, service_too_long, no_body, too_many_frames;
  // operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code, std::string)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_request(std::string service, zmtp::message body, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::string)>(
        [this](id_handler h, std::string&& name, zmtp::message&& what) {
          start_request(std::move(name), std::move(what), std::move(h));
        },
        token, std::move(service), std::move(body));
  }

  // The same with an id of the caller, for a Titanic of this project. Asks again also if there is no answer. The
  // caller may repeat the call, also in another process: until the request is closed, its id names the request
  // that it was first sent with. async_reply takes its to_string().
  // Every client that knows an id can ask for the reply, so draw the id with random_id().
  // Completes with error_code; none: the request is stored.
  // Cancellation: terminal, partial, total; the request may have been stored all the same.
  // Errors: as above. no_reply: also where no such Titanic is there.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_submit(request_id id, std::string service, zmtp::message body,
                                  Token&& token = {}) {
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
  [[nodiscard]] auto async_reply(std::string id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, zmtp::message)>(
        [this](reply_handler h, std::string&& which) {
          start_reply(std::move(which), false, std::move(h));
        },
        token, std::move(id));
  }

  // The same, again and again until there is a reply or none to come; also while Titanic or the broker
  // is away. Errors: errc::unknown_id, request_failed, bad_reply; operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_wait(std::string id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, zmtp::message)>(
        [this](reply_handler h, std::string&& which) {
          start_reply(std::move(which), true, std::move(h));
        },
        token, std::move(id));
  }

  // The request and its reply are not needed any more. Also for a request that is not there.
  // Completes with error_code.
  // Cancellation: terminal, partial, total; the request may be closed all the same.
  // Errors: errc::not_stored (it may come back), bad_reply; of mdp: no_reply, not_connected;
  // operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_close(std::string id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](code_handler h, std::string&& which) {
          start_close(std::move(which), std::move(h));
        },
        token, std::move(id));
  }

private:
  class core;
  using id_handler = zmtp::completion_handler<void(boost::system::error_code, std::string)>;
  using reply_handler = zmtp::completion_handler<void(boost::system::error_code, zmtp::message)>;
  using code_handler = zmtp::completion_handler<void(boost::system::error_code)>;

  void start_request(std::string&& service, zmtp::message&& body, id_handler&& handler);
  void start_reply(std::string&& id, bool wait, reply_handler&& handler);
  void start_submit(request_id id, std::string&& service, zmtp::message&& body,
                    code_handler&& handler);
  void start_close(std::string&& id, code_handler&& handler);

  std::shared_ptr<core> core_;
};

}  // namespace mdp::titanic
