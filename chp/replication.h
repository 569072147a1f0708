#pragma once
// How a passive server follows the active one: when it asks for a snapshot, what it makes of it, and
// what comes meanwhile. Pure.

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

// There are two connections to the active server: the feed, on which it publishes, and the source of
// snapshots. A snapshot is asked for once something has come on the feed, so that nothing is published
// between the two that this server does not see; what is published meanwhile is kept. A connection to the
// source is good for one snapshot: after a gap, or one that stood still, another is made, so that
// nothing of an earlier answer is taken for the new one.
class replication {
public:
  using time_point = std::chrono::steady_clock::time_point;

  enum class phase : std::uint8_t {
    off,        // this server is active
    waiting,    // for both connections, and for a word on the feed
    asking,     // for a snapshot, of which nothing has come
    receiving,  // a snapshot
    following,  // it has one, and what came since
  };
  // What of the other one's updates a server had when it became active: those up to `shared`, of its own epochs
  // or of the other one's, and all that it has given a number above `own` itself.
  struct origin {
    sequence shared;
    sequence own;
  };
  // A whole snapshot.
  struct snapshot {
    std::unique_ptr<store> map;
    std::unique_ptr<update_register> applied;  // none of a server that does not say
    std::deque<zmtp::message> since;           // KVPUBs that came meanwhile
    sequence begun;                            // see snapshot_end; 0 of a server that does not say
    std::optional<origin> from;                // none of a server that does not say
  };

  replication(const server_options& options, std::uint64_t seed) : options_{options}, seed_{seed} {}

  // This server is passive from now on, or active.
  void begin(time_point now, server_actions& out);
  void end();

  void on_feed_attached();
  // What is published from now on is missed.
  void on_feed_detached(server_actions& out);
  void on_source_attached(const announcement& said, time_point now, server_actions& out);
  void on_source_detached();

  // Something has come on the feed. True if it is a KVPUB that is to be applied now; otherwise it may
  // have been moved from.
  [[nodiscard]] bool on_publication(zmtp::message& m, bool is_update, time_point now,
                                    server_actions& out);
  // A KVPUB that was to be applied cannot be: something before it is missing.
  void on_gap(server_actions& out);
  // Of the source. The snapshot, when it is whole and not of an epoch before that of `own`. `wall` is the
  // time of day since 1970, which servers of the Guide give times to live in.
  [[nodiscard]] std::optional<snapshot> on_part(const snapshot_input& part, sequence own,
                                                time_point now, std::chrono::milliseconds wall,
                                                server_actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, server_actions& out);

  [[nodiscard]] phase state() const noexcept { return phase_; }
  // The active server is of ours, and reads what only those say.
  [[nodiscard]] bool source_is_ours() const noexcept { return source_ && source_->acks; }
  // When something was last heard of the active server, on either connection.
  [[nodiscard]] std::optional<time_point> last_heard() const noexcept { return heard_; }

private:
  void ask(time_point now, server_actions& out);
  void start_over(server_actions& out);
  void drop();
  void add(const update& u, time_point now, std::chrono::milliseconds wall);

  const server_options& options_;
  std::uint64_t seed_;
  phase phase_ = phase::off;
  bool feed_ = false;        // it is connected …
  bool feed_heard_ = false;  // … and something has come on it
  std::optional<announcement> source_;
  std::optional<time_point> due_;  // to ask again, or to give up what stands still
  std::optional<time_point> heard_;

  std::unique_ptr<store> map_;
  std::unique_ptr<update_register> applied_;
  std::deque<zmtp::message> since_;
  std::size_t octets_since_ = 0;
};

}  // namespace chp
