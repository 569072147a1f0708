#pragma once
// What a socket that sends to many owes to each of its connections, by a model of its own: every message
// that the peer wants, in order, less what its queue had no room for; and the last values of what it
// begins to want. What the user of an XPUB knows: each topic that anybody has subscribed to.

#include "zmtp/routing/peer_id.h"

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

// How a socket publishes.
struct publishing {
  bool to_all = false;  // XSUB: to each publisher, connected or about to be
  bool manual = false;  // XPUB: what its user gives to each peer, who hears of each one's topics
  std::optional<std::size_t> last_values{};  // XPUB: of so many topics
};

class publication_check {
public:
  explicit publication_check(const publishing& how) : how_{how} {}

  // The peer asks for it, or wants it no longer.
  void on_subscription(peer_id pipe, bool subscribe, std::string_view topic);
  // By hand: the user gives it to the peer, or takes it back.
  void on_given(peer_id pipe, bool subscribe, std::string_view topic);
  // An endpoint to connect to, or a connection that was accepted. The first outlives connections.
  void on_opened(peer_id pipe, bool durable);
  void on_closed(peer_id pipe);
  // What was queued before is still owed, if the pipe outlives its connections.
  void on_detached(peer_id pipe);
  void on_published(std::uint32_t sequence, std::string_view topic);

  enum class writing : std::uint8_t {
    owed,
    again,     // a last value, which the peer may have been sent before
    stale,     // behind a later message of its topic
    not_owed,  // … or what is later was written before
  };
  [[nodiscard]] writing on_written(peer_id pipe, std::uint32_t sequence, std::string_view topic);

  // The user of an XPUB is told so. False if he knew that.
  [[nodiscard]] bool on_told(peer_id pipe, bool begins, std::string_view topic);
  // He knows the topics of all that are connected, and no others.
  [[nodiscard]] bool knows_all() const;
  // Everybody has been written the last values of what it began to want, or later ones.
  [[nodiscard]] bool all_caught_up() const;
  // The last value of each topic that is kept.
  [[nodiscard]] const std::map<std::string, std::uint32_t, std::less<>>& values() const noexcept {
    return values_;
  }

  // To all connections together. Of last values only those that were written.
  [[nodiscard]] std::size_t owed() const noexcept { return total_; }
  // How many last values more may have been queued, and dropped with their connections, or taken the
  // place of what there had been no room for.
  [[nodiscard]] std::size_t doubtful() const;
  // Passed over by what was written later.
  [[nodiscard]] std::size_t missed() const noexcept { return missed_; }

private:
  using topics = std::set<std::string, std::less<>>;

  // What begins with `prefix` was given to a peer that did not have it.
  struct beginning {
    std::string prefix;
    std::uint32_t since;                   // the last that was published before
    std::optional<std::uint32_t> until{};  // … before it was taken back
    // Of the topics that had one then: the last value.
    std::map<std::string, std::uint32_t, std::less<>> values{};
    topics missing{};  // of those: not written yet
    topics written{};  // last values
  };
  struct connection {
    bool durable = false;
    topics asked;
    topics given;
    topics told;
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
  std::map<peer_id, connection> owed_;
  topics known_;
  topics published_;
  std::map<std::string, std::uint32_t, std::less<>> values_;
  std::uint32_t last_ = 0;
  std::size_t total_ = 0;
  std::size_t missed_ = 0;
};

}  // namespace zmtp::simulation
