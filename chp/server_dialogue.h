#pragma once
// One visit of a client at one server: it asks for a snapshot, receives it, follows the updates behind it.
// Pure.

#include "chp/client_options.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace chp {

// The client's states of protocols B18, with reliability.md 3.2, G4: a snapshot counts only if it was asked for
// when a KVPUB or HUGZ had come, since from then on the subscription holds. It is asked for at once all the
// same, because that is the vote that makes a passive server active. Which of several ICANHAZ? an answer is for,
// the answer does not say: so what counts is asked for on a DEALER of its own.
class server_dialogue {
public:
  using time_point = std::chrono::steady_clock::time_point;

  enum class phase : std::uint8_t {
    asking,     // nothing of an answer that counts has come
    receiving,  // a snapshot that counts
    following,  // updates
  };
  enum class wish : std::uint8_t {
    nothing,
    ask,    // send ICANHAZ?
    renew,  // open a new DEALER, whose answers count
    adopt,  // the snapshot is whole, and counts; or there is none
    leave,  // the server says nothing any more
  };

  explicit server_dialogue(const client_options& options);

  // Both connections are on their way, and each step until there is an answer may take this part of the
  // answer's time: all of it as soon as the server is heard on the other connection.
  void begin(time_point now, unsigned divisor);
  // The subscriber lives, and updates are missing: a snapshot is asked for once more. renew.
  [[nodiscard]] wish begin_again(time_point now);

  // The subscriber has its peer. adopt, where no snapshot is asked for.
  [[nodiscard]] wish on_subscriber_attached(time_point now);
  // The DEALER has its peer. ask, mostly.
  [[nodiscard]] wish on_snapshot_attached(time_point now);
  // KVPUB or HUGZ.
  [[nodiscard]] wish on_publication(time_point now);
  // KVSYNC; false if it does not count.
  [[nodiscard]] bool on_entry(time_point now);
  // KTHXBAI.
  [[nodiscard]] wish on_end(time_point now);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If it comes a whole time too late, this process was stopped: the server is given that time again, so
  // that what came meanwhile is read first.
  [[nodiscard]] wish on_deadline(time_point now);

  [[nodiscard]] phase at() const noexcept { return phase_; }

private:
  [[nodiscard]] wish renew(time_point now);
  void be_patient(time_point now) noexcept;
  void give(std::optional<std::chrono::milliseconds> time, time_point now) noexcept;

  std::chrono::milliseconds ask_interval_;
  std::chrono::milliseconds answer_timeout_;
  std::optional<std::chrono::milliseconds> server_ttl_;
  bool asks_;
  phase phase_ = phase::asking;
  bool asked_ = false;   // on this DEALER
  bool counts_ = false;  // what is answered on this DEALER
  std::optional<std::chrono::milliseconds> patience_;
  std::optional<time_point> expiry_;    // when the patience is over
  std::optional<time_point> next_ask_;  // while there is no answer
};

}  // namespace chp
