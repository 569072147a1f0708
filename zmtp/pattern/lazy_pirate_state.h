#pragma once
// When a Lazy Pirate client asks whom, and when it gives up. Pure; the shell around it is
// `lazy_pirate_client`.

#include "zmtp/pattern/call_error.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace zmtp {

// What became of one attempt, for who wants to tell a user.
struct attempt_event {
  enum class kind : std::uint8_t {
    asking,     // the server is being asked
    no_answer,  // … and has not answered in time
  };
  kind what;
  std::size_t server;  // its index
  unsigned attempt;    // of this request: 1 is the first
};

// Set by the client, carried out and cleared by the shell, in the order of the members.
struct lazy_pirate_actions {
  std::optional<attempt_event> lost;  // an attempt
  bool close = false;                 // the socket, discarding what it has queued
  std::optional<attempt_event> asking;
  std::optional<std::size_t> open;   // another socket, to this server
  bool send = false;                 // the request
  std::optional<call_errc> failure;  // the request has ended without an answer
};

struct lazy_pirate_timing {
  std::chrono::milliseconds timeout;  // of an attempt
  std::chrono::milliseconds pause;    // between one and the next
  std::optional<unsigned> attempts;   // absent: as many as there is time for
};

// One request at a time. A socket is used again only where its last request was answered: so an answer
// that is late is never taken for another's. It stays with a server that answers, and leaves one that
// does not for the next.
class lazy_pirate_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = lazy_pirate_actions;

  // `servers` is not zero.
  lazy_pirate_state(std::size_t servers, const lazy_pirate_timing& timing) noexcept;

  // Begins a request, which ends by `until`.
  // Errors: call_errc::call_in_flight.
  [[nodiscard]] boost::system::error_code ask(time_point now, std::optional<time_point> until,
                                              actions& out);
  // The request was taken by a connection.
  void on_sent() noexcept { sent_ = true; }
  // The request has ended with an answer.
  void on_answer() noexcept { phase_ = phase::idle; }
  // Gives the request up, without a failure.
  void cancel(actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If it comes more than a timeout late, this process was stopped: the server is given another
  // timeout, so that what came meanwhile is read first.
  void on_deadline(time_point now, actions& out);

  // Who is asked, or will be.
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
