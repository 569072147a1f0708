#pragma once
// The state of a passive server that follows the active one: when it requests a snapshot, what it
// does with it, and which publications arrive meanwhile. Pure.

#include "chp/announcement.h"
#include "chp/command.h"
#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "chp/store.h"
#include "chp/update_register.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

namespace chp {

// There are two connections to the active server: the feed with its publications, and the source of
// snapshots. The server requests a snapshot after the first message on the feed, so that it misses
// no publication in between, and stores publications that arrive meanwhile. Each snapshot uses its
// own connection to the source. After a gap or a stalled snapshot, the server opens another one, so
// that parts of an earlier reply are not mixed with the new one.
class replication {
public:
  using time_point = std::chrono::steady_clock::time_point;

  enum class phase : std::uint8_t {
    off,        // the server is active
    waiting,    // for both connections, and for a message on the feed
    asking,     // has requested a snapshot; nothing has arrived
    receiving,  // parts of a snapshot have arrived
    following,  // has a snapshot and the updates since then
  };
  // The updates that a server had when it became active: those of the other server up to `shared`,
  // and all that it has numbered above `own` itself.
  struct origin {
    sequence shared;
    sequence own;
  };
  // A complete snapshot.
  struct snapshot {
    std::unique_ptr<store> map;
    std::unique_ptr<update_register> applied;  // null if the server does not send it
    std::deque<zmtp::message> since;           // KVPUBs that arrived meanwhile
    sequence begun;                            // see snapshot_end; 0 if the server does not send it
    std::optional<origin> from;                // absent if the server does not send it
  };

  replication(const server_options& options, std::uint64_t seed) : options_{options}, seed_{seed} {}

  // begin(): this server is passive from now on. end(): it is active.
  void begin(time_point now, server_actions& out);
  void end();

  void on_feed_attached();
  // Publications are missed from now on.
  void on_feed_detached(server_actions& out);
  void on_source_attached(const announcement& said, time_point now, server_actions& out);
  void on_source_detached();

  // Takes a message of the feed. Returns true for a KVPUB that must be applied now. Otherwise `m`
  // may be moved from.
  [[nodiscard]] bool on_publication(zmtp::message& m, bool is_update, time_point now,
                                    server_actions& out);
  // The KVPUB cannot be applied, because an earlier one is missing.
  void on_gap(server_actions& out);
  // Takes a message of the source. Returns the snapshot when it is complete, unless its epoch is
  // before that of `own`. `wall` is the time of day since 1970, which the Guide's servers use for
  // times to live.
  [[nodiscard]] std::optional<snapshot> on_part(const snapshot_input& part, sequence own,
                                                time_point now, std::chrono::milliseconds wall,
                                                server_actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, server_actions& out);

  [[nodiscard]] phase state() const noexcept { return phase_; }
  // Returns whether the active server is a Zinc server.
  [[nodiscard]] bool source_is_ours() const noexcept { return source_ && source_->acks; }
  // Returns the time of the last message of the active server, on either connection.
  [[nodiscard]] std::optional<time_point> last_heard() const noexcept { return received_; }

private:
  void ask(time_point now, server_actions& out);
  void start_over(server_actions& out);
  void drop();
  void add(const update& u, time_point now, std::chrono::milliseconds wall);

  const server_options& options_;
  std::uint64_t seed_;
  phase phase_ = phase::off;
  bool feed_ = false;        // connected
  bool feed_heard_ = false;  // a message has arrived
  std::optional<announcement> source_;
  std::optional<time_point> due_;  // to repeat a request, or to give up a stalled snapshot
  std::optional<time_point> received_;

  std::unique_ptr<store> map_;
  std::unique_ptr<update_register> applied_;
  std::deque<zmtp::message> since_;
  std::size_t bytes_since_ = 0;
};

}  // namespace chp
