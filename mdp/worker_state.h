#pragma once
// A Majordomo worker's side of its conversations with a broker, MDP/0.1 or MDP/0.2. Pure; the shell
// around it is `worker`.

#include "mdp/command.h"
#include "mdp/error.h"
#include "mdp/options.h"
#include "zmtp/message.h"
#include "zmtp/pattern/liveness.h"

#include <boost/system/error_code.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mdp {

// Actions of a worker. worker_state appends to them. The shell carries them out in the order of the
// members and clears them.
struct worker_actions {
  struct request {
    std::uint64_t id;  // for the reply; never used twice
    zmtp::message body;
    std::optional<std::string> principal{};  // the client's; absent: not sent by the broker
  };
  std::vector<zmtp::message> sends;
  std::vector<request> requests;  // new requests for the handler
  // Close the socket, drop its queue, and open another after this delay. The shell reports no more
  // events of the old socket.
  std::optional<std::chrono::milliseconds> reopen;
  // The drain is complete: no request is in flight, and none can arrive.
  bool drained = false;

  void clear() noexcept {
    sends.clear();
    requests.clear();
    reopen.reset();
    drained = false;
  }
};

// A worker's conversations. Each one is a connection on a socket of its own. It starts with
// on_attached and READY, and ends with DISCONNECT, an unresponsive broker or the loss of the
// connection. After the end the worker sends nothing on it, and the broker may redeliver the
// requests in flight.
class worker_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = worker_actions;

  explicit worker_state(const worker_options& options);

  // `takes_nacks`: the broker has announced that it takes NACK and DRAIN. `sends_principals`: it has
  // announced that it sends principals to workers that announce worker_options::reads_principals.
  void on_attached(bool takes_nacks, time_point now, actions& out, bool sends_principals = false);
  void on_message(zmtp::message&& m, time_point now, actions& out);
  void on_detached(actions& out);

  // Sends a part of the reply, or its end. A request has one reply(). In 0.2, any number of
  // reply_in_part() may precede it. If there is an error, `body` is not moved from.
  // Errors: no_request, no_body, too_many_frames, partial_not_possible.
  [[nodiscard]] boost::system::error_code reply(std::uint64_t request, zmtp::message&& body,
                                                time_point now, actions& out);
  [[nodiscard]] boost::system::error_code reply_in_part(std::uint64_t request, zmtp::message&& body,
                                                        time_point now, actions& out);

  // Ends the request without a reply; see nack_reason. If the broker does not take NACK, the
  // conversation ends with all its requests, for either reason, and another one starts.
  // Errors: no_request.
  boost::system::error_code give_back(std::uint64_t request, nack_reason reason, time_point now,
                                      actions& out);

  // Takes no more requests. Requests in progress may still be answered. A broker that takes NACK
  // and DRAIN gets DRAIN. The worker refuses requests that this broker has sent meanwhile, until
  // the broker sends DISCONNECT. The worker leaves any other broker after its last reply. Requests
  // that such a broker has sent meanwhile are lost with the connection.
  void drain(time_point now, actions& out);
  // Ends the conversation. on_attached starts the next one.
  void stop(actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // A call that is more than one heartbeat interval late means that this process was paused. The
  // broker then gets another interval, so that the worker reads pending messages first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] bool in_conversation() const noexcept { return in_conversation_; }
  [[nodiscard]] std::size_t requests_in_flight() const noexcept { return hands_.size(); }
  // Messages that the worker ignored, by errc.
  [[nodiscard]] const std::array<std::uint64_t, errc_count>& invalid_messages() const noexcept {
    return invalid_;
  }

private:
  struct held {
    std::uint64_t id;
    std::string address;
  };

  void take_request(zmtp::message& m, const broker_request& asked, time_point now, actions& out);
  [[nodiscard]] std::vector<held>::iterator in_flight(std::uint64_t request);
  void end_request(std::vector<held>::iterator at, time_point now, actions& out);
  [[nodiscard]] boost::system::error_code send_reply(std::uint64_t request, zmtp::message& body,
                                                     bool final, time_point now, actions& out);
  void end_conversation() noexcept;
  void go_if_drained(actions& out);
  [[nodiscard]] bool countdown_suspended() const noexcept;
  void ignore(errc fault) noexcept { ++invalid_[static_cast<std::size_t>(fault)]; }

  const worker_options options_;
  const dialect dialect_;
  zmtp::liveness liveness_;
  bool in_conversation_ = false;
  bool draining_ = false;
  bool takes_nacks_ = false;      // the broker takes NACK and DRAIN
  bool with_principals_ = false;  // each request has the principal of its client
  bool busy_heartbeats_ = false;  // the broker sends heartbeats to busy workers
  zmtp::liveness::times last_;
  std::uint64_t last_id_ = 0;
  std::vector<held> hands_;
  std::array<std::uint64_t, errc_count> invalid_{};
};

}  // namespace mdp
