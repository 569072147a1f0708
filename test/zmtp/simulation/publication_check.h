#pragma once
// A model of the duty of a socket that sends to many peers. Each connection must get every message
// that its peer wants, in order, except messages for which its queue was full. A connection must
// also get the last values of each topic that its peer begins to want. The user of an XPUB must
// know each topic to which any peer has subscribed.

#include "zmtp/peer.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::simulation {

// Names a pipe of one socket in the whole simulation: an endpoint that it connects to, which outlives
// connections, or a connection that it accepted.
using lane = std::uint64_t;

// How a socket publishes.
struct publishing {
  bool to_all = false;  // XSUB: to each publisher, connected or about to be
  bool manual = false;  // XPUB: the user grants topics, and gets the topics of each peer
  std::optional<std::size_t> last_values{};  // XPUB: number of topics with a last value
};

class publication_check {
public:
  explicit publication_check(const publishing& how) : how_{how} {}

  // The peer asks for it, or wants it no longer.
  void on_subscription(lane to, bool subscribe, std::string_view topic);
  // Manual mode: the user grants the topic to the peer, or revokes it.
  void on_given(lane to, bool subscribe, std::string_view topic);
  // An endpoint to connect to, or a connection that was accepted. The first outlives connections.
  void on_opened(lane to, bool durable);
  // The socket no longer connects there. It drops what is queued.
  void on_closed(lane to);
  // Messages that were queued before stay due if the lane outlives its connections.
  void on_detached(lane to);
  void on_published(std::uint32_t sequence, std::string_view topic);

  enum class writing : std::uint8_t {
    owed,
    again,     // a last value, which the peer may have been sent before
    stale,     // behind a later message of its topic
    not_owed,  // … or a later message was written before
  };
  [[nodiscard]] writing on_written(lane to, std::uint32_t sequence, std::string_view topic);

  // The user of an XPUB gets this notification of `peer`. Returns false if the user knew it already.
  // A lane has several peers if the socket has disconnected and connected again: the user may hear
  // of the new one before the end of the old one.
  [[nodiscard]] bool on_told(lane to, peer_id peer, bool begins, std::string_view topic);
  // Returns whether the user knows the topics of all connected peers, and no others.
  [[nodiscard]] bool knows_all() const;
  // Returns whether every peer got the last values of each topic that it began to want, or later
  // ones.
  [[nodiscard]] bool all_caught_up() const;
  // The last value of each topic that is kept.
  [[nodiscard]] const std::map<std::string, std::uint32_t, std::less<>>& values() const noexcept {
    return values_;
  }

  // Returns the number of messages due to all connections together. Last values count only when
  // they were written.
  [[nodiscard]] std::size_t owed() const noexcept { return total_; }
  // Returns the number of further last values that may have been queued, and dropped with their
  // connections, or that may have replaced values beyond the queue limit.
  [[nodiscard]] std::size_t doubtful() const;
  // Returns the number of messages that were skipped because a later one was written.
  [[nodiscard]] std::size_t missed() const noexcept { return missed_; }

private:
  using topics = std::set<std::string, std::less<>>;

  // A peer was granted all topics with this prefix, and did not have it before.
  struct beginning {
    std::string prefix;
    std::uint32_t since;                   // the last that was published before
    std::optional<std::uint32_t> until{};  // … before it was taken back
    // The last value of each matching topic that had one at that time.
    std::map<std::string, std::uint32_t, std::less<>> values{};
    topics missing{};  // topics of `values` not written yet
    topics written{};  // last values
  };
  struct connection {
    bool durable = false;
    topics asked;
    topics given;
    std::map<peer_id, topics> notified;
    std::deque<std::uint32_t> sequences;
    std::vector<beginning> beginnings;
    std::map<std::string, std::uint32_t, std::less<>> last_written;
  };

  [[nodiscard]] static bool wants(const connection& c, std::string_view topic);
  void give(connection& to, std::string_view topic);
  void take_back(connection& from, std::string_view topic);
  void keep(std::uint32_t sequence, std::string_view topic);
  [[nodiscard]] static bool is_value_again(connection& c, std::uint32_t sequence,
                                           std::string_view topic);

  publishing how_;
  std::map<lane, connection> owed_;
  topics known_;
  topics published_;
  std::map<std::string, std::uint32_t, std::less<>> values_;
  std::uint32_t last_ = 0;
  std::size_t total_ = 0;
  std::size_t missed_ = 0;
};

}  // namespace zmtp::simulation
