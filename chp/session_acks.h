#pragma once
// The acknowledgements of Zinc's clients: which of their updates are committed. Pure.

#include "chp/sequence.h"
#include "chp/server_actions.h"
#include "chp/update_register.h"
#include "zmtp/peer.h"

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

// A session gets its acknowledgements on the connection on which it subscribes, at most once a
// millisecond. An acknowledgement has the counter up to which updates are committed: they are
// applied (the register has them) and do not wait for the backup. It never covers an uncommitted
// update. It may cover too few while updates that were sent out of order wait.
class session_acks {
public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds interval{1};

  // The session subscribes with this peer, and no longer with another one. It gets its
  // acknowledgement.
  void attach(std::uint64_t session, zmtp::peer_id subscriber);
  void detach(zmtp::peer_id subscriber);

  // An update was applied, and is committed when the backup has it.
  void await(std::uint64_t session, std::uint64_t counter, sequence number);
  // An update was refused. The client must not be notified before the backup has this notice.
  void await_notice(std::uint64_t session, std::uint64_t counter, std::uint64_t notice);
  // The session needs an acknowledgement: an update was committed or resent.
  void owe(std::uint64_t session);
  // The backup has everything up to here, or updates no longer wait for it. Commits at most `most`
  // updates. Returns true when all are committed.
  bool commit(sequence mark, std::size_t most);
  // The backup has the notices up to here, or refusals no longer wait for it.
  bool commit_notices(std::uint64_t last, std::size_t most);
  // This server is passive, and forgets the updates that wait.
  void clear_waiting();

  // Sends the acknowledgements that are due and whose sessions got none within the interval.
  void tell(const update_register& applied, bool degraded, time_point now,
            std::vector<server_actions::addressed>& out);
  // The acknowledgement could not be sent, and is still due.
  void not_taken(zmtp::peer_id subscriber);
  // Returns when to send again.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept { return due_; }

  // Number of sessions that need an acknowledgement.
  [[nodiscard]] std::size_t owed() const noexcept { return owed_.size(); }
  // Number of updates and refusals that wait for the backup.
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
    std::uint64_t lowest = 0;  // no waiting update has a lower counter
    time_point notified{};
  };
  struct update {
    std::uint64_t number;  // sequence or notice
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
  std::deque<update> waiting_;  // in order of sequences
  std::deque<update> waiting_notices_;
  std::vector<std::uint64_t> owed_;
  std::optional<time_point> due_;
};

}  // namespace chp
