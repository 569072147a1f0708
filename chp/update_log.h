#pragma once
// The log of a server that is alone or one of a pair: the events of the shell, and the role that
// each goes to. Pure.

#include "chp/active_role.h"
#include "chp/log_actions.h"
#include "chp/log_parts.h"
#include "chp/passive_role.h"
#include "chp/proposal.h"
#include "chp/random_numbers.h"
#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace chp {

// The log validates each update, orders it, commits it by the rules of docs/chp-log.md, publishes it
// and answers it. A repeated update is recognized, and answered again.
//
// Each call appends actions. `now` never decreases. No message of a peer is a precondition. After
// the last call of a turn, call end_turn() and carry out the actions.
class update_log {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Begins passive. `random` has 64 random bits. `discard` allows this server, once, to drop what
  // both servers had (see passive_role::stopped()).
  update_log(const update_log_options& options, std::uint64_t random, replica&& state,
             bool discard = false);
  update_log(const update_log&) = delete;
  update_log& operator=(const update_log&) = delete;

  // Roles, decided by the pair. A server that is active already begins another reign if the epoch is
  // higher, and goes on after suspend() otherwise. A server alone without epochs uses epoch 0.
  void become_active(std::uint64_t epoch, time_point now, log_actions& out);
  void become_passive(time_point now, log_actions& out);
  // No subscriber has stayed while the peer was active. So the next become_active() publishes nothing
  // again.
  void forget_subscribers() noexcept { parts_.was_active.reset(); }
  void suspend() noexcept;
  [[nodiscard]] bool is_active() const noexcept {
    return std::holds_alternative<active_role>(role_);
  }
  [[nodiscard]] bool suspended() const noexcept;

  // With a witness: asks it for an epoch. log_actions::epoch has the answer, perhaps in this turn.
  // become_active() follows only after a grant.
  void acquire(std::uint64_t epoch) noexcept { parts_.witness->acquire(epoch); }
  // The result of log_actions::attempt. `now_record` means nothing after an error.
  void on_witness(boost::system::error_code ec, const membership& now_record, time_point now,
                  log_actions& out);
  // The record of the witness has changed.
  void on_witness_changed(const membership& record) { parts_.witness->on_changed(record); }

  // An update of a client.
  void propose(const proposal& p, log_actions& out);
  // Returns false if the shell must read no more updates. Updates that were read are accepted.
  [[nodiscard]] bool has_room() const noexcept;

  // The dialogue with the other server. A passive server connects to the active one and calls
  // on_peer_connected(). An active server waits for HELLO.
  void on_peer_connected(log_actions& out);
  void on_peer_lost(log_actions& out);
  void on_peer_message(const zmtp::message& m, time_point now, log_actions& out);
  void on_peer_writable(log_actions& out);
  // The peer has sent nothing for the expiry, over any connection.
  void on_peer_unresponsive(log_actions& out);
  // The state message of the peer's bstar, and the end of the peer's log; see had_data() and
  // declines().
  void on_peer_state(const peer_claims& of, sequence end) noexcept;
  // The file of log_actions::lost; see passive_role.
  [[nodiscard]] lost_read read_lost(const lost_updates& which, std::string& lines,
                                    std::size_t most);
  void on_lost_written(const lost_updates& which, boost::system::error_code ec, log_actions& out);

  // Passive, beside an active server that is not Zinc's. adopt() begins a new history with a map as
  // of a number, which are records of kind `set`. append() takes the next update. It returns false
  // if the update is not the next one.
  // Errors: those of history::add_map() and finish().
  [[nodiscard]] errc adopt(std::string_view rows, sequence number, time_point now);
  [[nodiscard]] bool append(const log_entry& e, time_point now);
  // The active server has this update.
  void forget_waiting(const update_id& id) { parts_.waiting.remove(id); }

  // The result of the oldest write to the store without one.
  void on_written(boost::system::error_code ec, time_point now);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // May be called early.
  void on_deadline(time_point now);
  void end_turn(time_point now, log_actions& out);

  // For bstar: which data this server has, and whether it declines to be promoted. It declines after
  // its store has failed, until its peer is active or cannot be. With a witness, it declines unless it
  // is a member. If the record was emptied, it also declines while its peer has later data, and
  // declines because it has not seen this yet.
  [[nodiscard]] reign last_reign() const noexcept { return parts_.state.past().reigns().last(); }
  [[nodiscard]] bool lacks_data() const noexcept { return parts_.state.lacks_data(); }
  // Returns false if this server may lack data because its pair is new: no epoch is known to its log,
  // to its epoch file (`epoch`), or to its witness, and its peer has no data. It may then serve alone.
  [[nodiscard]] bool had_data(std::uint64_t epoch) const noexcept {
    return state().end() != 0 || epoch != 0 || peer_has_data_ ||
           (parts_.witness && parts_.witness->had_data());
  }
  [[nodiscard]] bool declines() const noexcept {
    const auto& witness = parts_.witness;
    return declines_ ||
           (witness && (!witness->is_member() || (witness->is_emptied() && peer_has_more_)));
  }

  // Active: the backup has everything, and nothing is committed without it.
  [[nodiscard]] bool in_sync() const noexcept;
  // Active: clients see entries that the backup may not have.
  [[nodiscard]] bool degraded() const noexcept;
  [[nodiscard]] bool following() const noexcept;
  [[nodiscard]] bool stopped() const noexcept;
  // Passive: the active server has answered the last HELLO.
  [[nodiscard]] bool has_answer() const noexcept;
  // Active: no number is left.
  [[nodiscard]] bool is_used_up() const noexcept;

  [[nodiscard]] const replica& state() const noexcept { return parts_.state; }
  // For snapshot streams. All must end before this server becomes passive.
  [[nodiscard]] history& past() noexcept { return parts_.state.past(); }
  [[nodiscard]] const directory_counters& counts() const noexcept {
    return parts_.published.counts();
  }
  [[nodiscard]] const log_counters& counters() const noexcept { return parts_.counters; }
  // Updates of other clients that wait for the log of the active server.
  [[nodiscard]] std::size_t waiting() const noexcept { return parts_.waiting.size(); }

private:
  [[nodiscard]] active_role* active() noexcept { return std::get_if<active_role>(&role_); }
  [[nodiscard]] passive_role* passive() noexcept { return std::get_if<passive_role>(&role_); }
  [[nodiscard]] const active_role* active() const noexcept {
    return std::get_if<active_role>(&role_);
  }
  [[nodiscard]] const passive_role* passive() const noexcept {
    return std::get_if<passive_role>(&role_);
  }
  void greet(log_actions& out);

  random_numbers random_;
  log_parts parts_;
  std::variant<passive_role, active_role> role_;  // destroyed before the parts that it uses
  bool declines_ = false;
  bool peer_has_data_ = false;  // by its last state message
  bool peer_has_more_ = false;  // and declines
};

}  // namespace chp
