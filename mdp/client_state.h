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

// Appended to by the client, carried out and cleared by the shell, in the order of the members.
struct client_actions {
  std::vector<zmtp::message> sends;
  std::vector<zmtp::message> partials;  // parts of the reply, more to come
  std::optional<zmtp::message> reply;   // the reply, or its last part: the request has ended
  std::optional<boost::system::error_code> failure;  // the request has ended without
  // Close the socket, discarding what it has queued, and open another. Nothing of the old one is
  // told to the state any more.
  struct reopening {
    std::chrono::milliseconds delay;  // at least
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

// One request at a time: MDP has no mark by which a reply could be told from another, and different
// workers do not answer in the order they were asked in. Who wants several requests at once has
// several of these, each with its socket; to the broker they are different clients.
//
// An attempt that is not answered in time is repeated on a new connection, and a request that is
// given up takes its connection with it: a late reply can never be taken for that of the next
// request. A request ends with a reply, or with a failure that says what is known: not_connected
// (it was never sent), no_reply (it may have been carried out), reply_cut_short; or with what a broker of
// this project says of it (request_error).
//
// A request that is not idempotent is repeated only where it cannot run twice: by its key, to the run
// of a broker that got the first attempt and announced `idempotency`. Such a request stays with that
// broker. If another one attaches, the request ends.
class client_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = client_actions;

  // `seed` spreads the pauses of many clients. `first_key` is the idempotency key of the first request,
  // the next request has the next one: 128 random bits, because two clients must not have one key.
  explicit client_state(const client_options& options, std::uint32_t seed = 1,
                        const request_key& first_key = {});

  // `broker`: what the broker has announced in its handshake.
  void on_attached(const broker_announcement& broker, time_point now, actions& out);
  void on_message(zmtp::message&& m, time_point now, actions& out);
  void on_detached(actions& out);
  // There is nobody at the broker's endpoint.
  void on_unreachable(actions& out);

  // Begins a request, which is sent as soon as there is a connection. The body is moved from only
  // if there is no error.
  // Errors: request_in_flight, no_service, service_too_long, no_body, too_many_frames.
  [[nodiscard]] boost::system::error_code ask(std::string_view service, zmtp::message&& body,
                                              const request_options& how, time_point now,
                                              actions& out);
  // Gives the request up, without an event.
  void cancel(actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If it comes more than a timeout late, this process was stopped: the broker is given another
  // timeout, so that what came meanwhile is read first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] bool in_flight() const noexcept { return in_flight_; }
  // Messages that were ignored, by errc.
  [[nodiscard]] const std::array<std::uint64_t, errc_count>& invalid_messages() const noexcept {
    return invalid_;
  }

private:
  // Whether the attached broker may get the request: it may run twice, or it cannot.
  [[nodiscard]] bool may_be_sent() const noexcept {
    return idempotent_ || !ever_sent_ || (keyed_with_ && keyed_with_ == instance_);
  }
  // Whether the broker of the last attempt may get it again.
  [[nodiscard]] bool may_be_repeated() const noexcept {
    return idempotent_ || !ever_sent_ || keyed_with_;
  }
  // Only the broker that got the request may get it again.
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
  bool ever_sent_ = false;      // the request in flight, in whatever attempt
  bool sent_before_ = false;    // … in one before the last
  bool on_connection_ = false;  // it was sent on the present connection
  bool partly_answered_ = false;
  unsigned attempts_ = 0;
  // Of the request in flight.
  std::chrono::milliseconds timeout_{};
  unsigned most_attempts_ = 0;
  std::chrono::milliseconds pause_{};  // before the next attempt
  time_point deadline_;                // of the attempt
  std::optional<time_point> end_;      // of the request
  bool idempotent_ = false;
  std::uint32_t sends_ = 0;
  time_point first_sent_at_;
  std::optional<std::uint64_t> keyed_with_;  // the run of the broker that got its key
  std::string service_;
  zmtp::message request_;  // its body

  request_key key_;  // the key of the request in flight or of the last request
  std::optional<std::uint64_t> instance_;  // run of the attached broker, if it takes keys
  std::array<std::uint64_t, errc_count> invalid_{};
};

}  // namespace mdp
