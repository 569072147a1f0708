#pragma once
// The worker's side of conversations with a Simple or Paranoid Pirate queue. Pure; `pirate_worker`
// is the shell.

#include "zmtp/message.h"
#include "zmtp/options.h"
#include "zmtp/pattern/liveness.h"
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
  // Paranoid only: interval of heartbeats while idle, and the number of intervals without a message
  // after which the queue is dead.
  std::chrono::milliseconds heartbeat{1'000};
  unsigned liveness = 3;
  // Delay before reconnecting to a dead queue. It doubles each time up to the maximum. Any message
  // of the queue resets it.
  std::chrono::milliseconds reconnect_delay{1'000};
  std::chrono::milliseconds longest_reconnect_delay{32'000};
  // Options of the DEALER, security included. The worker sets announce_peers, extensions and
  // send_mark.messages itself.
  socket_options socket{};
};

// An event, to report to the user.
struct pirate_worker_event {
  enum class kind : std::uint8_t {
    ready,      // READY was sent to the queue
    heartbeat,  // a heartbeat was sent
    lost,       // the queue was unresponsive for too long
    invalid,    // the queue sent an invalid message
    surplus,    // a request arrived while another one is in progress, and is dropped
  };
  kind what;
  std::chrono::milliseconds delay{};  // lost: time until the worker reconnects
};

// The worker appends actions. The shell executes and clears them, in the order of the members.
struct pirate_worker_actions {
  struct request {
    std::uint64_t id;  // names the request in its reply; never reused
    message body;
  };
  std::vector<message> sends;
  std::vector<pirate_worker_event> events;
  std::vector<request> requests;  // requests to execute
  // Close the socket, drop its queue, and create another socket after this delay. The state must
  // not receive events of the old socket any more.
  std::optional<std::chrono::milliseconds> reopen;
};

// Each conversation uses a connection on a socket of its own. It starts with on_attached and READY.
// It ends when the queue is unresponsive or the connection ends, and then its request is lost.
//
// During a request, the worker sends no heartbeats, because the Guide's queue takes a heartbeat for
// a free worker. That queue sends no heartbeats to a busy worker, so the worker does not expect
// any.
class pirate_worker_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = pirate_worker_actions;

  pirate_worker_state(const pirate_worker_options& options, time_point now);

  void on_attached(time_point now, actions& out);
  void on_message(message&& m, time_point now, actions& out);
  void on_detached(actions& out);

  // Moves from the body only without an error. Errors: call_errc::no_request.
  [[nodiscard]] boost::system::error_code reply(std::uint64_t request, message&& body,
                                                time_point now, actions& out);
  // Drops a request that will not be answered, and sends READY instead. Does nothing if the request
  // is not in progress.
  void drop(std::uint64_t request, time_point now, actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If the call is more than a heartbeat interval late, the process was paused. The queue then gets
  // another interval, so that pending messages are read first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] bool in_conversation() const noexcept { return in_conversation_; }
  [[nodiscard]] bool busy() const noexcept { return in_flight_.has_value(); }

private:
  struct hand {
    std::uint64_t id;
    message envelope;
  };

  void say_ready(time_point now, actions& out);
  [[nodiscard]] bool paranoid() const noexcept {
    return options_.protocol == pirate_protocol::paranoid;
  }

  const pirate_worker_options options_;
  liveness liveness_;
  bool in_conversation_ = false;
  liveness::times last_;
  std::chrono::milliseconds delay_;
  std::uint64_t last_id_ = 0;
  std::optional<hand> in_flight_;
};

}  // namespace zmtp
