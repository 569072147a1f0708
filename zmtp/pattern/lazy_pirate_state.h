#pragma once
// Decides when a Lazy Pirate client sends to which server, and when it stops. Pure;
// `lazy_pirate_client` is the shell.

#include "zmtp/pattern/call_error.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace zmtp {

// An event of one attempt, to report to the user.
struct attempt_event {
  enum class kind : std::uint8_t {
    asking,     // the request is sent to the server
    no_answer,  // … and the server has not answered in time
  };
  kind what;
  std::size_t server;  // its index
  unsigned attempt;    // counted per request, from 1
};

// The client sets actions. The shell executes and clears them, in the order of the members.
struct lazy_pirate_actions {
  std::optional<attempt_event> lost;  // an unanswered attempt
  bool close = false;                 // close the socket and drop its queue
  std::optional<attempt_event> asking;
  std::optional<std::size_t> open;   // create a new socket and connect to this server
  bool send = false;                 // send the request
  std::optional<call_errc> failure;  // the request ended without an answer
};

struct lazy_pirate_timing {
  std::chrono::milliseconds timeout;  // per attempt
  std::chrono::milliseconds pause;    // between two attempts
  std::optional<unsigned> attempts;   // absent: limited only by the deadline
};

// Handles one request at a time. Reuses a socket only if its last request was answered, so that a
// late answer cannot be taken for the answer to another request. Stays with a server that answers,
// and otherwise switches to the next one.
class lazy_pirate_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = lazy_pirate_actions;

  // `servers` must not be zero.
  lazy_pirate_state(std::size_t servers, const lazy_pirate_timing& timing) noexcept;

  // Starts a request, which ends at `until` at the latest.
  // Errors: call_errc::call_in_flight.
  [[nodiscard]] boost::system::error_code ask(time_point now, std::optional<time_point> until,
                                              actions& out);
  // Call when a connection has taken the request.
  void on_sent() noexcept { sent_ = true; }
  // Call when the request has ended with an answer.
  void on_answer() noexcept { phase_ = phase::idle; }
  // Ends the request without a failure.
  void cancel(actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If the call is more than a timeout late, the process was paused. The server then gets another
  // timeout, so that pending messages are read first.
  void on_deadline(time_point now, actions& out);

  // Returns the index of the current server.
  [[nodiscard]] std::size_t server() const noexcept { return server_; }

private:
  enum class phase : std::uint8_t {
    idle,
    asking,
    pausing,
  };

  void attempt(time_point now, actions& out);
  void close(actions& out) noexcept;
  void give_up(actions& out);

  const std::size_t servers_;
  const lazy_pirate_timing timing_;
  phase phase_ = phase::idle;
  bool open_ = false;
  bool sent_ = false;
  std::size_t server_ = 0;
  unsigned attempts_ = 0;
  time_point next_;  // the end of the attempt, or of the pause
  std::optional<time_point> until_;
};

}  // namespace zmtp
