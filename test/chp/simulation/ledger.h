#pragma once
// The ledger of a simulation of the clustered hashmap: updates of clients, publications, acknowledgements and
// the memory of servers, and the contradictions between them.

#include "chp/acknowledgement.h"
#include "chp/command.h"
#include "chp/store.h"
#include "chp/update_id.h"
#include "test/chp/simulation/history.h"
#include "test/chp/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "zmtp/simulation/run_state.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace chp::simulation {

using zmtp::simulation::event_queue;

using time_point = event_queue::time_point;
// A map as a program sees it.
using replica = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] replica replica_of(const store& map);

class ledger final {
public:
  using finding = zmtp::simulation::finding<violation>;
  static constexpr std::size_t nodes = 2;

  explicit ledger(zmtp::simulation::run_state& in) : world_{&in} {}

  void report(violation what, std::string text);
  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }

  // Calls of clients. Starts an update and returns its number, from 1 on.
  std::uint32_t begin_update(std::string key, bool erases, std::optional<std::chrono::seconds> ttl);
  // Returns the value of the update.
  [[nodiscard]] const std::string& value_of(std::uint32_t update) const { return at(update).value; }
  [[nodiscard]] const std::string& key_of(std::uint32_t update) const { return at(update).key; }
  // The client sends the update for the first time, with this id.
  void on_sent(std::uint32_t update, const update_id& id);
  // The client counts the update as committed.
  void on_committed(std::uint32_t update);
  // The client receives a refusal of the update.
  void on_refused(std::uint32_t update);
  // The update must be committed if all programs work, unless the map is full.
  void expect_committed(std::uint32_t update);
  // A client has a map of this number; `what` names it.
  void check_map(const std::string& what, const replica& map, sequence number,
                 std::string_view subtree);
  // Returns whether all updates of a server at `later` are newer than its state at `seen`.
  [[nodiscard]] bool began_after(sequence later, sequence seen) const {
    return epoch_of(seen) < history_.began_in(later);
  }
  // A client has received these values, in any order.
  void check_known(const std::string& what, const replica& map);

  // Calls of servers. The server becomes active in this epoch with its map at `base`, after `outage` without a
  // message from its peer.
  void on_active(std::size_t node, std::uint64_t epoch, sequence base,
                 std::chrono::nanoseconds outage);
  // The server has published the updates that it had received from clients before.
  void on_replayed(std::size_t node);
  void on_serving(std::size_t node, bool does);
  // The passive server has received this update of a client.
  void on_heard(std::size_t node, const update_id& id);
  // The server is about to publish this update.
  void on_publication(std::size_t node, const update& u);
  // The server sends this acknowledgement to a client.
  void on_promise(std::size_t node, std::uint64_t session, const acknowledgement& notified);
  // The map of the server is at this number.
  void on_position(std::size_t node, sequence number);
  // The server has copied the snapshot of its peer.
  void on_synchronized(std::size_t node, const store& map);
  // The peer has processed all updates that only this server had accepted.
  void on_reconciled(std::size_t node);
  // The peer has offered this update; `taken` tells whether the server accepted it.
  void on_offered(std::size_t node, const update_id& id, bool taken);
  // The server was killed. Its disk has the updates up to this number.
  void on_killed(std::size_t node, sequence stored);
  // Servers have stores: committed updates survive a loss of the memory of both.
  void expect_stored() noexcept { stored_ = true; }
  // Servers have little room, and may refuse updates.
  void expect_refusals() noexcept { refuses_ = true; }
  // The servers may not receive from each other until this time.
  void disturb_pair(time_point until) {
    disturbed_until_ = until > disturbed_until_ ? until : disturbed_until_;
  }
  [[nodiscard]] bool serving(std::size_t node) const noexcept { return memory_[node].serving; }
  [[nodiscard]] std::optional<time_point> serving_since() const noexcept { return serving_since_; }

  // The network works, and has for a while: the map must equal that of the active server.
  void check_rest(std::size_t active);

  [[nodiscard]] std::size_t updates() const noexcept { return updates_.size(); }
  [[nodiscard]] std::size_t committed() const noexcept { return committed_; }
  [[nodiscard]] std::size_t refused() const noexcept { return refused_; }
  [[nodiscard]] std::size_t excused() const;
  [[nodiscard]] std::size_t activations() const noexcept { return activations_; }
  [[nodiscard]] std::size_t offers() const noexcept { return offers_; }
  [[nodiscard]] std::size_t expired() const noexcept { return expired_; }

private:
  struct record {
    std::string key;
    std::string value;
    bool erases = false;
    std::optional<std::chrono::seconds> ttl;
    time_point made;
    update_id id;
    std::vector<sequence> published;  // it was given these numbers
    bool promised = false;
    bool promised_by_two = false;
    bool committed = false;
    bool refused = false;  // as a server told its client
    bool settled = false;  // offered, and not taken because of something later
    bool excused = false;  // committed, and gone with the last memory that had it
  };
  // The state of a server, as far as numbers describe it.
  struct memory {
    bool serving = false;
    sequence number = 0;
    sequence offers = 0;         // its number when it became passive, until the reconciliation ends
    std::vector<sequence> past;  // numbers of its earlier runs, or from before it copied a snapshot
    std::set<std::uint32_t> received;
  };

  [[nodiscard]] time_point now() const { return world_->events.now(); }
  [[nodiscard]] record& at(std::uint32_t number) { return updates_[number - 1]; }
  [[nodiscard]] const record& at(std::uint32_t number) const { return updates_[number - 1]; }
  [[nodiscard]] std::uint32_t update_of(const update_id& id) const;
  [[nodiscard]] std::uint32_t update_setting(std::string_view key, std::string_view value) const;
  [[nodiscard]] bool is_earlier_of_same(std::uint32_t update, const record& of) const;
  [[nodiscard]] bool is_superseded(const record& of, sequence at) const;
  [[nodiscard]] bool is_in(sequence at, const record& of) const;
  // … the update, or a later one of the key.
  [[nodiscard]] bool anybody_has(const record& of) const;
  void expire(const update& u);
  [[nodiscard]] std::string name(std::uint32_t number) const;

  zmtp::simulation::run_state* world_;
  std::vector<record> updates_;
  std::map<update_id, std::uint32_t> by_id_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> sessions_;  // by counter
  std::set<update_id> expiries_;                                  // the servers' own
  history history_;
  std::array<memory, nodes> memory_;
  std::vector<finding> findings_;
  bool stored_ = false;
  bool refuses_ = false;
  time_point disturbed_until_{};
  std::optional<time_point> serving_since_;
  time_point grace_until_{};  // until then, expired keys may still exist
  std::size_t committed_ = 0;
  std::size_t refused_ = 0;
  std::size_t activations_ = 0;
  std::size_t offers_ = 0;
  std::size_t expired_ = 0;
};

}  // namespace chp::simulation
