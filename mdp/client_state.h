#pragma once
// A Majordomo client's side of its conversations with a broker, MDP/0.1 or MDP/0.2. Pure; the shell
// around it is `client`.

#include "mdp/announcement.h"
#include "mdp/command.h"
#include "mdp/error.h"
#include "mdp/options.h"
#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace mdp {

// Actions of a client. client_state appends to them. The shell carries them out in the order of the
// members and clears them.
struct client_actions {
  std::vector<zmtp::message> sends;
  std::vector<zmtp::message> partials;  // parts of the reply; more follow
  std::optional<zmtp::message> reply;   // the reply or its last part; the request has ended
  std::optional<boost::system::error_code> failure;  // the request has ended without a reply
  // Close the socket, drop its queue, and open another. The shell reports no more events of the old
  // socket.
  struct reopening {
    std::chrono::milliseconds delay;  // minimum
    bool elsewhere;                   // at the next broker, if there are several
  };
  std::optional<reopening> reopen;

  void clear() noexcept {
    sends.clear();
    partials.clear();
    reply.reset();
    failure.reset();
    reopen.reset();
  }
};

// The requests of one connection, one at a time, because replies in MDP carry no id and workers do
// not answer in the order of the requests. Several requests at once need several objects with
// sockets of their own. The broker sees several clients.
//
// If an attempt has no reply in time, the client resends the request on a new connection. A request
// that ends without a reply closes its connection as well. So a late reply is never taken for the
// reply to the next request.
//
// A request ends with a reply or with an error: not_connected, no_reply, reply_cut_short,
// broker_replaced, or the error that a Zinc broker reports (request_error).
//
// A request that is not idempotent is resent only if it cannot run twice: with its key, to the run
// of a broker that got the first attempt and announced `idempotency`. Such a request stays with
// that broker. If another broker attaches, the request ends.
class client_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = client_actions;

  // `seed` varies the backoff between clients. `first_key` is the idempotency key before the first
  // request; each request uses the next one. The key must have 128 random bits, because two clients
  // must not share a key.
  explicit client_state(const client_options& options, std::uint32_t seed = 1,
                        const request_key& first_key = {});

  // `broker`: the announcement in the broker's handshake.
  void on_attached(const broker_announcement& broker, time_point now, actions& out);
  void on_message(zmtp::message&& m, time_point now, actions& out);
  void on_detached(actions& out);
  // No peer listens at the broker's endpoint.
  void on_unreachable(actions& out);

  // Starts a request and sends it when there is a connection. If there is an error, `body` is not
  // moved from.
  // Errors: request_in_flight, no_service, service_too_long, no_body, too_many_frames, bad_option (a
  // duration above zmtp::longest_duration).
  [[nodiscard]] boost::system::error_code ask(std::string_view service, zmtp::message&& body,
                                              const request_options& how, time_point now,
                                              actions& out);
  // Ends the request without a reply or failure.
  void cancel(actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // A call that is later than one timeout means that this process was paused. The attempt then gets
  // another timeout, so that the client reads pending messages first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] bool in_flight() const noexcept { return in_flight_; }
  // Messages that the client ignored, by errc.
  [[nodiscard]] const std::array<std::uint64_t, errc_count>& invalid_messages() const noexcept {
    return invalid_;
  }

private:
  // Returns whether the attached broker may get the request: it may run twice, or it cannot.
  [[nodiscard]] bool may_be_sent() const noexcept {
    return idempotent_ || !ever_sent_ || (keyed_with_ && keyed_with_ == instance_);
  }
  // Returns whether the broker of the last attempt may get the request again.
  [[nodiscard]] bool may_be_repeated() const noexcept {
    return idempotent_ || !ever_sent_ || keyed_with_;
  }
  // Returns whether only the broker that got the request may get it again.
  [[nodiscard]] bool bound() const noexcept { return in_flight_ && ever_sent_ && keyed_with_; }
  void on_error(zmtp::message& m, time_point now, actions& out);
  void send(time_point now, bool may_begin, actions& out);
  void fail(errc why, actions& out);
  void give_up(actions& out);
  void repeat(time_point now, actions& out);
  void reopen(std::chrono::milliseconds delay, bool elsewhere, actions& out) noexcept;
  [[nodiscard]] std::chrono::milliseconds next_pause() noexcept;
  void ignore(errc fault) noexcept { ++invalid_[static_cast<std::size_t>(fault)]; }

  const client_options options_;
  std::minstd_rand random_;
  bool attached_ = false;
  bool in_flight_ = false;
  bool ever_sent_ = false;      // the request was sent, in any attempt
  bool sent_before_ = false;    // the request was sent before the last attempt
  bool on_connection_ = false;  // the request was sent on the current connection
  bool partly_answered_ = false;
  unsigned attempts_ = 0;
  // Settings and progress of the request in flight.
  std::chrono::milliseconds timeout_{};
  unsigned most_attempts_ = 0;
  std::chrono::milliseconds pause_{};  // before the next attempt
  time_point deadline_;                // the attempt ends
  std::optional<time_point> end_;      // the request ends
  bool idempotent_ = false;
  std::uint32_t sends_ = 0;
  time_point first_sent_at_;
  std::optional<std::uint64_t> keyed_with_;  // the run of the broker that got the key
  std::string service_;
  std::optional<std::string> on_behalf_of_;
  zmtp::message request_;  // the body

  request_key key_;  // the key of the request in flight or of the last request
  std::optional<std::uint64_t> instance_;  // run of the attached broker, if it takes keys
  bool takes_principals_ = false;          // the attached broker
  std::array<std::uint64_t, errc_count> invalid_{};
};

}  // namespace mdp
