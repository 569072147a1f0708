#pragma once
// Snapshots in progress, sent in pieces as fast as each peer reads. Pure.

#include "chp/announcement.h"
#include "chp/directory_counters.h"
#include "chp/history.h"
#include "chp/map_access.h"
#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "chp/store.h"
#include "zmtp/access_rules.h"
#include "zmtp/peer.h"

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
  // The data of snapshots. It must outlive them, or clear() must be called before.
  struct source {
    history& past;
    const directory_counters& counts;
    const zmtp::access_rules& rules;  // for each entry
  };

  explicit snapshot_streams(const server_options& options) : options_{options} {}

  void attach(zmtp::peer_id peer, const announcement& announced, std::string_view user_id = {}) {
    auto& added = peers_[peer];
    added.announced = announced;
    added.user_id = user_id;
  }
  void detach(zmtp::peer_id peer) { peers_.erase(peer); }
  // Returns null if the peer is not known.
  [[nodiscard]] const announcement* find(zmtp::peer_id peer) const;
  // Returns the principal of a peer. It is valid until the peer is detached.
  [[nodiscard]] std::string_view user_of(zmtp::peer_id peer) const;
  // Ends the replies of the peer that has the oldest snapshot of the map, and returns the peer. Does
  // nothing if no peer has it.
  [[nodiscard]] std::optional<zmtp::peer_id> end_oldest();
  // Ends all replies. Appends the peers that waited for one.
  void clear(std::vector<zmtp::peer_id>& waiting);

  enum class asked {
    first,    // write() may begin
    another,  // after a reply in progress, or together with one
    refused,  // too many requests, or an unknown peer
  };
  [[nodiscard]] asked ask(zmtp::peer_id peer, std::string_view subtree);

  struct progress {
    bool more = false;       // more follows for this peer
    bool ended = false;      // one reply has ended
    bool forbidden = false;  // by the rules, and not by the end of the snapshot
  };
  // Appends the next piece. A Zinc client that may not read the whole subtree gets FORBIDDEN, also in
  // the middle of a snapshot, because it would take the rest for all keys. Other clients get the
  // entries that they may read at the time of the piece.
  [[nodiscard]] progress write(zmtp::peer_id peer, const source& from,
                               std::vector<server_actions::addressed>& out);

  [[nodiscard]] std::size_t peers() const noexcept { return peers_.size(); }
  // Number of replies in progress.
  [[nodiscard]] std::size_t size() const noexcept;

private:
  struct reply {
    store::snapshot entries;
    sequence number;
    std::string end_properties;
  };
  struct record {
    announcement announced;
    std::string user_id;
    std::deque<std::string> asked;  // the first one is being answered
    std::unique_ptr<reply> current;
  };

  [[nodiscard]] static std::unique_ptr<reply> open(const record& of, const source& from);
  // Returns whether the reply has ended.
  [[nodiscard]] bool write_piece(zmtp::peer_id peer, record& r, bool is_whole, const source& from,
                                 std::vector<server_actions::addressed>& out);

  const server_options& options_;
  std::unordered_map<zmtp::peer_id, record> peers_;
};

}  // namespace chp
