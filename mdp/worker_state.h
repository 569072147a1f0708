#pragma once
// A Majordomo worker's side of its conversations with a broker, MDP/0.1 or MDP/0.2. Pure; the shell
// around it is `worker`.

#include "mdp/command.h"
#include "mdp/error.h"
#include "mdp/options.h"
#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mdp {

// Appended to by the worker, carried out and cleared by the shell, in the order of the members.
struct worker_actions {
  struct request {
    std::uint64_t id;  // to be named in the reply; never used twice
    zmtp::message body;
  };
  std::vector<zmtp::message> sends;
  std::vector<request> requests;  // to be worked on
  // Close the socket, discarding what it has queued, and open another after this delay. Nothing of
  // the old one is told to the state any more.
  std::optional<std::chrono::milliseconds> reopen;
  // Nothing is in hand any more, and nothing more will come: what drain() was for.
  bool drained = false;

  void clear() noexcept {
    sends.clear();
    requests.clear();
    reopen.reset();
    drained = false;
  }
};

// Each conversation is a connection on a socket of its own: it begins with on_attached and READY,
// and ends with DISCONNECT, the broker's silence or the loss of the connection. Then nothing more
// is sent, and the requests in hand are the broker's to give to others.
class worker_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = worker_actions;

  explicit worker_state(const worker_options& options);

  // `takes_nacks`: the broker has announced that it takes NACK and DRAIN.
  void on_attached(bool takes_nacks, time_point now, actions& out);
  void on_message(zmtp::message&& m, time_point now, actions& out);
  void on_detached(actions& out);

  // One reply for each request, in 0.2 with any number of partial ones before it. The body is moved
  // from only if there is no error.
  // Errors: no_request, no_body, too_many_frames, partial_not_possible.
  [[nodiscard]] boost::system::error_code reply(std::uint64_t request, zmtp::message&& body,
                                                time_point now, actions& out);
  [[nodiscard]] boost::system::error_code reply_in_part(std::uint64_t request, zmtp::message&& body,
                                                        time_point now, actions& out);

  // The request will not be answered; see nack_reason. A broker that takes no NACK takes back all requests
  // of the worker: the conversation ends, whatever the reason, and another begins.
  // Errors: no_request.
  boost::system::error_code give_back(std::uint64_t request, nack_reason reason, time_point now,
                                      actions& out);

  // Takes no more requests; those in progress may still be answered. A broker that takes NACK and DRAIN is told,
  // gets back what it has sent meanwhile, and has the last word. The worker leaves any other broker with its
  // last reply, and what that broker sends meanwhile is lost with the connection.
  void drain(time_point now, actions& out);
  // The worker goes; a conversation ends, and no other begins before on_attached.
  void stop(actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If it comes more than a heartbeat interval late, this process was stopped: the broker is given
  // another interval, so that what came meanwhile is read first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] bool in_conversation() const noexcept { return in_conversation_; }
  [[nodiscard]] std::size_t requests_in_hand() const noexcept { return hands_.size(); }
  // Messages that were ignored, by errc.
  [[nodiscard]] const std::array<std::uint64_t, errc_count>& invalid_messages() const noexcept {
    return invalid_;
  }

private:
  struct held {
    std::uint64_t id;
    std::string address;
  };

  void take_request(zmtp::message& m, std::string_view address, time_point now, actions& out);
  [[nodiscard]] std::vector<held>::iterator in_hand(std::uint64_t request);
  void end_request(std::vector<held>::iterator at, time_point now, actions& out);
  [[nodiscard]] boost::system::error_code send_reply(std::uint64_t request, zmtp::message& body,
                                                     bool final, time_point now, actions& out);
  void end_conversation() noexcept;
  void go_if_drained(actions& out);
  [[nodiscard]] bool countdown_suspended() const noexcept;
  void ignore(errc fault) noexcept { ++invalid_[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] time_point broker_dead_at() const noexcept;
  [[nodiscard]] time_point heartbeat_due_at() const noexcept;

  const worker_options options_;
  const dialect dialect_;
  bool in_conversation_ = false;
  bool draining_ = false;
  bool takes_nacks_ = false;      // this broker does
  bool busy_heartbeats_ = false;  // this broker sends heartbeats to busy workers
  time_point heard_at_;
  time_point told_at_;
  time_point judge_from_{};  // the broker is not dead before
  std::uint64_t last_id_ = 0;
  std::vector<held> hands_;
  std::array<std::uint64_t, errc_count> invalid_{};
};

}  // namespace mdp
