#pragma once
// Lazy Pirate (the Guide, chapter 4): asks servers until one answers, each attempt on a fresh socket. The
// decisions are lazy_pirate_state's.

#include "zmtp/message.h"
#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/lazy_pirate_state.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {

struct lazy_pirate_options {
  // How long a server may take for an answer.
  std::chrono::milliseconds timeout{2'500};
  // Attempts for each request, in all, whoever is asked. Absent: as many as there is time for.
  std::optional<unsigned> attempts = 3;
  // Between an attempt that was not answered and the next.
  std::chrono::milliseconds pause{0};
};

// What the user is told of and asked for while a request is under way, in the executor. Absent: nothing
// is told, every answer is taken.
struct lazy_pirate_handlers {
  // What became of an attempt; the endpoint of its server.
  std::function<void(const attempt_event&, std::string_view)> on_attempt{};
  // Whether an answer is one. The attempt goes on after one that is not, until its time is over.
  std::function<bool(const message&)> accept{};
};

// One request at a time, on a REQ: servers answer with what they were sent in front. It stays with a server
// that answers. Each attempt has a socket of its own, unless the one before was answered: an answer that
// is late is never taken for another's.
//
// A request may be carried out twice: by a server that could not answer in time, and by the next, which
// may be the same.
//
// It goes before its context does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class lazy_pirate_client {
public:
  // Throws boost::system::system_error: call_errc::no_servers, call_errc::bad_call_option (a timeout that
  // is not positive, a negative pause, no attempt), what zmtp::socket::connect throws.
  lazy_pirate_client(boost::asio::any_io_executor executor, std::vector<std::string> servers,
                     const lazy_pirate_options& options = {}, lazy_pirate_handlers handlers = {});
  lazy_pirate_client(const lazy_pirate_client&) = delete;
  lazy_pirate_client& operator=(const lazy_pirate_client&) = delete;
  // Stops.
  ~lazy_pirate_client();

  // Asks one server after the other, or one again and again, until there is an answer.
  // Completes with error_code and the answer's parts.
  // Cancellation: terminal, partial, total; the request may have been carried out all the same.
  // Errors: call_errc::no_answer (in all attempts, or by `until`; it may have been carried out), not_sent
  // (nobody was there: it was not), call_in_flight; errc::bad_message (no parts); operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code, message)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_request(message body, deadline until, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, message)>(
        [this](answer_handler h, message&& what, deadline when) {
          start(std::move(what), when, std::move(h));
        },
        token, std::move(body), until);
  }

  // The endpoint of who is asked now, or will be.
  [[nodiscard]] std::string_view server() const noexcept;

  // A request in flight completes with operation_aborted, later ones too.
  void stop();

private:
  class core;
  using answer_handler = completion_handler<void(boost::system::error_code, message)>;

  void start(message&& body, deadline until, answer_handler&& handler);

  std::shared_ptr<core> core_;
};

}  // namespace zmtp
