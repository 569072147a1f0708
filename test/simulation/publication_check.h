#pragma once
// What a PUB owes to each of its connections, by a model of its own: every message that begins with
// what was subscribed to, in order, less what its queue had no room for. What the user of an XPUB knows:
// each topic that anybody has subscribed to.

#include "zmtp/routing/peer_id.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace zmtp::simulation {

class publication_check {
public:
  void on_subscription(peer_id pipe, bool subscribe, std::string_view topic);
  // What was queued before is still owed, if the pipe outlives its connections.
  void on_detached(peer_id pipe) { owed_[pipe].topics.clear(); }
  void on_published(std::uint32_t sequence, std::string_view topic);
  // False if it was not owed, or what is later was written before.
  [[nodiscard]] bool on_written(peer_id pipe, std::uint32_t sequence);

  // The user of an XPUB is told so. False if he knew that.
  [[nodiscard]] bool on_told(bool begins, std::string_view topic);
  // He knows the topics of all that are connected, and no others.
  [[nodiscard]] bool knows_all() const;

  // Of all connections together.
  [[nodiscard]] std::size_t owed() const noexcept { return total_; }
  // Passed over by what was written later.
  [[nodiscard]] std::size_t missed() const noexcept { return missed_; }

private:
  struct connection {
    std::set<std::string, std::less<>> topics;
    std::deque<std::uint32_t> sequences;
  };

  [[nodiscard]] static bool wants(const connection& c, std::string_view topic);

  std::map<peer_id, connection> owed_;
  std::set<std::string, std::less<>> known_;
  std::size_t total_ = 0;
  std::size_t missed_ = 0;
};

}  // namespace zmtp::simulation
