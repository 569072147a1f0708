#pragma once
// A passive server beside an active server that is not Zinc's: when it requests a snapshot, and
// which publications arrive meanwhile. Pure.

#include "chp/command.h"
#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace chp {

// There are two connections to the active server: the feed with its publications, and the source of
// snapshots. The server requests a snapshot after the first message on the feed, so that it misses
// no publication in between, and stores publications that arrive meanwhile. Each snapshot uses its
// own connection to the source. After a gap or a stalled snapshot, the server opens another one, so
// that parts of an earlier reply are not mixed with the new one.
class guide_follower {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // A complete snapshot.
  struct snapshot {
    std::string rows;            // records of kind `set`; see log_entry.h
    std::vector<update_id> ids;  // those of its entries
    sequence number = 0;
    std::deque<zmtp::message> since;  // KVPUBs that arrived meanwhile
  };

  explicit guide_follower(const server_options& options) : options_{options} {}

  // The source is connected to such a server.
  void begin(server_actions& out);
  // The connection is lost, or this server is active.
  void end();

  // Publications are missed from now on.
  void on_feed_lost(server_actions& out);
  // Takes a message of the feed. Returns true for a KVPUB that must be applied now. Otherwise `m`
  // may be moved from.
  [[nodiscard]] bool on_publication(zmtp::message& m, bool is_update, time_point now,
                                    server_actions& out);
  // The KVPUB cannot be applied, because an earlier one is missing.
  void on_gap(server_actions& out);
  // Takes a message of the source. Returns the snapshot when it is complete. `wall` is the time of
  // day since 1970, which the Guide's servers use for times to live.
  [[nodiscard]] std::optional<snapshot> on_part(const snapshot_input& part, time_point now,
                                                std::chrono::milliseconds wall);

  [[nodiscard]] bool following() const noexcept { return phase_ == phase::following; }
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept { return due_; }
  void on_deadline(time_point now, server_actions& out);

private:
  enum class phase : std::uint8_t {
    off,        // the source is not connected to such a server
    waiting,    // for a message on the feed
    asking,     // has requested a snapshot; nothing has arrived
    receiving,  // parts of a snapshot have arrived
    following,  // has a snapshot and the updates since then
  };

  void ask(time_point now, server_actions& out);
  void start_over(server_actions& out);
  void add(const update& u, std::chrono::milliseconds wall);

  const server_options& options_;
  phase phase_ = phase::off;
  std::optional<time_point> due_;  // to repeat a request, or to give up a stalled snapshot
  snapshot copy_;
  std::size_t bytes_since_ = 0;
};

}  // namespace chp
