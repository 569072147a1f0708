#pragma once
// Snapshots on their way to those who asked, a piece at a time as each has room. Pure.

#include "chp/announcement.h"
#include "chp/directory_counters.h"
#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "chp/store.h"
#include "chp/update_register.h"
#include "zmtp/routing/peer_id.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chp {

// Peers of the snapshot port, and what they are sent. Each question has an answer of its own, in the order
// of the questions: who asked twice may count them. Peers of ours (announcement::acks) do not count: they ask
// until there is an answer, and take the first, whichever question that was to. So they get one for all that
// they asked of a subtree before it has ended: what they say while this process stands still, or the network
// is cut, comes all at once.
class snapshot_streams {
public:
  using time_point = std::chrono::steady_clock::time_point;
  // What snapshots are of. It outlives them, or clear() comes before.
  struct source {
    store& map;
    const directory_counters& counts;
    update_register& applied;
    sequence begun;   // see snapshot_end; 0: with the first update
    sequence shared;  // see replication::origin
    sequence own;
  };

  explicit snapshot_streams(const server_options& options) : options_{options} {}

  void attach(zmtp::peer_id peer, const announcement& said) { peers_[peer].said = said; }
  void detach(zmtp::peer_id peer) { peers_.erase(peer); }
  // Nothing if there is no such peer.
  [[nodiscard]] const announcement* find(zmtp::peer_id peer) const;
  // Something that a backup offers on this connection could not be looked at; and whether that is so.
  void miss_offer(zmtp::peer_id peer);
  [[nodiscard]] bool missed_offers(zmtp::peer_id peer) const;
  // All answers end where they are; appends who was waiting for one.
  void clear(std::vector<zmtp::peer_id>& waiting);

  enum class asked {
    first,    // write() may begin
    another,  // behind an answer that is on its way, or with one
    refused,  // it has asked too often, or is not there
  };
  [[nodiscard]] asked ask(zmtp::peer_id peer, std::string_view subtree);

  struct progress {
    bool more = false;                  // there is more for this peer
    bool ended = false;                 // one answer has ended
    std::optional<sequence> of_backup;  // this piece begins a backup's snapshot of this number
  };
  // Appends the next piece.
  [[nodiscard]] progress write(zmtp::peer_id peer, const source& from, time_point now,
                               std::vector<server_actions::addressed>& out);

  [[nodiscard]] std::size_t peers() const noexcept { return peers_.size(); }
  // Answers that are on their way.
  [[nodiscard]] std::size_t size() const noexcept;

private:
  struct answer {
    store::snapshot entries;
    std::string end_properties;
    std::optional<update_register::image> applied;  // for a backup, until it has all of it
  };
  struct record {
    announcement said;
    std::deque<std::string> asked;  // the first is being answered
    std::unique_ptr<answer> current;
    bool missed_offers = false;
  };

  [[nodiscard]] std::unique_ptr<answer> open(const record& of, const source& from) const;
  [[nodiscard]] zmtp::message entry_for(const record& of, const store::entry& e,
                                        time_point now) const;

  const server_options& options_;
  std::unordered_map<zmtp::peer_id, record> peers_;
};

}  // namespace chp
