#pragma once
// A Simple or Paranoid Pirate worker's side of its conversations with a queue. Pure; the shell around it is
// `pirate_worker`.

#include "zmtp/message.h"
#include "zmtp/pattern/pirate_message.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zmtp {

struct pirate_worker_options {
  pirate_protocol protocol = pirate_protocol::paranoid;
  // Paranoid only: between heartbeats while idle, and after how many of silence the queue is dead.
  std::chrono::milliseconds heartbeat_interval{1'000};
  unsigned liveness = 3;
  // How long to wait after a dead queue before connecting anew: doubles each time up to the longest, and
  // starts over with whatever the queue says.
  std::chrono::milliseconds reconnect_delay{1'000};
  std::chrono::milliseconds longest_reconnect_delay{32'000};
};

// What happened, for who wants to tell a user.
struct pirate_worker_event {
  enum class kind : std::uint8_t {
    ready,      // the queue was told that there is a worker
    heartbeat,  // … and that it lives
    lost,       // the queue was silent for too long
    invalid,    // it said what is nothing
    surplus,    // it gave a request while there was one in hand, which is ignored
  };
  kind what;
  std::chrono::milliseconds delay{};  // lost: before it is connected to anew
};

// Appended to by the worker, carried out and cleared by the shell, in the order of the members.
struct pirate_worker_actions {
  struct request {
    std::uint64_t id;  // to be named in the reply; never used twice
    message body;
  };
  std::vector<message> sends;
  std::vector<pirate_worker_event> events;
  std::vector<request> requests;  // to be worked on
  // Close the socket, discarding what it has queued, and open another after this delay. Nothing of the
  // old one is told to the state any more.
  std::optional<std::chrono::milliseconds> reopen;
};

// Each conversation is a connection on a socket of its own: it begins with on_attached and READY, and ends
// with the queue's silence or the loss of the connection. The request in hand is lost with it.
//
// While it has one, it sends no heartbeats, which a queue of the Guide takes for being free; and such a queue
// sends none to who is busy, so its silence means nothing.
class pirate_worker_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = pirate_worker_actions;

  pirate_worker_state(const pirate_worker_options& options, time_point now);

  void on_attached(time_point now, actions& out);
  void on_message(message&& m, time_point now, actions& out);
  void on_detached(actions& out);

  // The body is moved from only if there is no error. Errors: call_errc::no_request.
  [[nodiscard]] boost::system::error_code reply(std::uint64_t request, message&& body,
                                                time_point now, actions& out);
  // A request in hand will not be answered: the worker says READY instead. Nothing for one that is not in
  // hand.
  void drop(std::uint64_t request, time_point now, actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If it comes more than a heartbeat interval late, this process was stopped: the queue is given another
  // interval, so that what came meanwhile is read first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] bool in_conversation() const noexcept { return in_conversation_; }
  [[nodiscard]] bool busy() const noexcept { return in_hand_.has_value(); }

private:
  struct hand {
    std::uint64_t id;
    message envelope;
  };

  void say_ready(time_point now, actions& out);
  [[nodiscard]] bool paranoid() const noexcept {
    return options_.protocol == pirate_protocol::paranoid;
  }
  [[nodiscard]] time_point queue_dead_at() const noexcept;

  const pirate_worker_options options_;
  bool in_conversation_ = false;
  time_point heard_at_;
  time_point told_at_;
  std::chrono::milliseconds delay_;
  std::uint64_t last_id_ = 0;
  std::optional<hand> in_hand_;
};

}  // namespace zmtp
