#pragma once
// Snapshots in progress, sent in pieces as fast as each peer reads. Pure.

#include "chp/announcement.h"
#include "chp/directory_counters.h"
#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "chp/store.h"
#include "chp/update_register.h"
#include "zmtp/peer.h"

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

// The peers of the snapshot port and their replies. Each request has a reply of its own, in order,
// because a peer may count them. Zinc's peers (announcement::acks) do not count: they repeat their
// request until a reply arrives, and take the first one. So they get one reply for all requests of
// a subtree that arrive before it ends. After a pause of this process, or a network failure, many
// requests can arrive at once.
class snapshot_streams {
public:
  using time_point = std::chrono::steady_clock::time_point;
  // The data of snapshots. It must outlive them, or clear() must be called before.
  struct source {
    store& map;
    const directory_counters& counts;
    update_register& applied;
    sequence begun;   // see snapshot_end; 0: starts with the first update
    sequence shared;  // see replication::origin
    sequence own;
  };

  explicit snapshot_streams(const server_options& options) : options_{options} {}

  void attach(zmtp::peer_id peer, const announcement& said) { peers_[peer].said = said; }
  void detach(zmtp::peer_id peer) { peers_.erase(peer); }
  // Returns null if the peer is not known.
  [[nodiscard]] const announcement* find(zmtp::peer_id peer) const;
  // An offer of a backup on this connection could not be processed. missed_offers() returns whether
  // this has happened.
  void miss_offer(zmtp::peer_id peer);
  [[nodiscard]] bool missed_offers(zmtp::peer_id peer) const;
  // Ends all replies. Appends the peers that waited for one.
  void clear(std::vector<zmtp::peer_id>& waiting);

  enum class asked {
    first,    // write() may begin
    another,  // after a reply in progress, or together with one
    refused,  // too many requests, or an unknown peer
  };
  [[nodiscard]] asked ask(zmtp::peer_id peer, std::string_view subtree);

  struct progress {
    bool more = false;                  // more follows for this peer
    bool ended = false;                 // one reply has ended
    std::optional<sequence> of_backup;  // this piece begins a backup's snapshot of this number
  };
  // Appends the next piece.
  [[nodiscard]] progress write(zmtp::peer_id peer, const source& from, time_point now,
                               std::vector<server_actions::addressed>& out);

  [[nodiscard]] std::size_t peers() const noexcept { return peers_.size(); }
  // Number of replies in progress.
  [[nodiscard]] std::size_t size() const noexcept;

private:
  struct answer {
    store::snapshot entries;
    std::string end_properties;
    std::optional<update_register::image> applied;  // until a backup has all of it
  };
  struct record {
    announcement said;
    std::deque<std::string> asked;  // the first one is being answered
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
