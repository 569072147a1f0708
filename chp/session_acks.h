#pragma once
// What clients of ours are told of their updates: which of them are committed. Pure.

#include "chp/sequence.h"
#include "chp/server_actions.h"
#include "chp/update_register.h"
#include "zmtp/routing/peer_id.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace chp {

// A session is told on the connection on which it subscribes, at most once a millisecond, up to which
// counter its updates are committed: those that have been applied (the register has them) and do not
// wait for the backup. What it is told is never too much; it may be too little while updates that were
// sent out of order wait.
class session_acks {
public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds interval{1};

  // The session subscribes by this peer, and no longer by another. It is told what is committed.
  void attach(std::uint64_t session, zmtp::peer_id subscriber);
  void detach(zmtp::peer_id subscriber);

  // An update has been applied that is not committed before the backup has it.
  void await(std::uint64_t session, std::uint64_t counter, sequence number);
  // An update is refused, which is not to be told before the backup knows of this notice.
  void await_notice(std::uint64_t session, std::uint64_t counter, std::uint64_t notice);
  // There is something to tell: an update is committed at once, or one came again.
  void owe(std::uint64_t session);
  // The backup has everything up to here, or is not waited for any more: so many at most are committed by this. True if
  // that was all.
  bool commit(sequence mark, std::size_t most);
  // It knows of refusals up to this notice, or is not waited for any more.
  bool commit_notices(std::uint64_t last, std::size_t most);
  // What awaited it is forgotten: this server is passive.
  void clear_waiting();

  // Tells those who are owed something and have not been told for the interval.
  void tell(const update_register& applied, bool degraded, time_point now,
            std::vector<server_actions::addressed>& out);
  // It could not be sent, and is owed.
  void not_taken(zmtp::peer_id subscriber);
  // When to tell again.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept { return due_; }

  // Sessions that are to be told something.
  [[nodiscard]] std::size_t owed() const noexcept { return owed_.size(); }
  // Updates that wait for the backup, and refusals.
  [[nodiscard]] std::size_t waiting() const noexcept {
    return waiting_.size() + waiting_notices_.size();
  }
  [[nodiscard]] sequence first_waiting() const noexcept {
    return waiting_.empty() ? 0 : waiting_.front().number;
  }

private:
  struct record {
    zmtp::peer_id subscriber;
    bool attached = false;
    bool owed = false;
    std::size_t waiting = 0;
    std::uint64_t lowest = 0;  // none that waits has a lower counter
    time_point told{};
  };
  struct update {
    std::uint64_t number;  // sequence, or notice
    std::uint64_t session;
    std::uint64_t counter;
  };

  void await(std::uint64_t session, std::uint64_t counter, std::uint64_t number,
             std::deque<update>& in);
  bool commit(std::uint64_t mark, std::size_t most, std::deque<update>& in);
  void clear(std::deque<update>& of);

  [[nodiscard]] record& record_of(std::uint64_t session);
  void owe(std::uint64_t session, record& of);
  void forget_if_idle(std::uint64_t session);

  // Session numbers are random already.
  boost::unordered_flat_map<std::uint64_t, record> sessions_;
  std::unordered_map<zmtp::peer_id, std::uint64_t> by_subscriber_;
  std::deque<update> waiting_;  // by sequence
  std::deque<update> waiting_notices_;
  std::vector<std::uint64_t> owed_;
  std::optional<time_point> due_;
};

}  // namespace chp
