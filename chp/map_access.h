#pragma once
// The rules of a map: which principals may read and write which keys. Pure.

#include "zmtp/access_rules.h"
#include "zmtp/peer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chp {

// The verbs of zmtp::access_rules for a map. Names are keys.
enum class right : std::uint8_t {
  read,
  write,
  use_session,  // not in rules: only the principal that subscribed with the session has it
};
// Returns the name of the enumerator.
[[nodiscard]] const char* to_string(right what) noexcept;

// The first refusal of a right to a principal.
struct access_refusal {
  std::string user_id;  // empty: anonymous
  right wanted{};
  std::string name;  // the key, subtree or topic, or the session in hexadecimal digits
};

struct access_counters {
  std::uint64_t subscriptions = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t updates = 0;
  std::uint64_t sessions = 0;  // updates with a session of another principal
  std::uint64_t backups = 0;   // messages of a server that may not copy the map
};

// The rules, and the subscriptions of the publisher's peers. Zinc's clients detect missing updates,
// so they must be allowed to read all of their subtree. Other clients get the part of a subtree
// that they may read.
class map_access {
public:
  explicit map_access(zmtp::access_rules rules) : guard_{std::move(rules)} {}

  [[nodiscard]] bool restricted() const noexcept { return !rules().permits_all(); }
  [[nodiscard]] const zmtp::access_rules& rules() const noexcept { return guard_.rules(); }

  // A change of what the publisher sends to a peer.
  struct subscription {
    zmtp::peer_id peer;
    bool begins = true;
    std::string topic;
  };
  // Returns false if the session belongs to another principal. The peer must then not get the
  // outcomes of the session.
  [[nodiscard]] bool attach_subscriber(zmtp::peer_id peer, std::string_view user_id, bool is_zinc,
                                       std::optional<std::uint64_t> session);
  void detach_subscriber(zmtp::peer_id peer);
  // Each appends the resulting changes. A topic is subscribed to once, as in ZMTP.
  void subscribe(zmtp::peer_id peer, std::string_view topic, std::vector<subscription>& out);
  void cancel(zmtp::peer_id peer, std::string_view topic, std::vector<subscription>& out);
  // Replaces the rules. Appends to `lost` Zinc's clients that may no longer read what they follow:
  // their connections must be closed, because they would take the silence for no change.
  void change(zmtp::access_rules rules, std::vector<subscription>& out,
              std::vector<zmtp::peer_id>& lost);

  // Each counts a refusal.
  [[nodiscard]] bool may_copy(std::string_view user_id);
  // `is_zinc`: the client needs all of the subtree. Otherwise a part is enough.
  [[nodiscard]] bool may_read(std::string_view user_id, bool is_zinc, std::string_view subtree);
  [[nodiscard]] bool may_write(std::string_view user_id, std::string_view key);
  // Returns whether a session has no subscriber yet, or one with the same principal.
  [[nodiscard]] bool may_use(std::string_view user_id, std::uint64_t session);
  // Returns whether a subscriber with this principal has the session.
  [[nodiscard]] bool owns(std::string_view user_id, std::uint64_t session) const;

  [[nodiscard]] const access_counters& counters() const noexcept { return counters_; }
  // Refusals to report, since the last call.
  [[nodiscard]] std::vector<access_refusal> take_refusals();

private:
  struct subscriber {
    std::string user_id;
    bool is_zinc = false;
    std::optional<std::uint64_t> session;
    std::set<std::string, std::less<>> wanted{};
    // The topics of the publisher, each with the number of topics in `wanted` that need it.
    std::map<std::string, std::size_t> sent{};
  };
  struct session_owner {
    std::string user_id;
    std::size_t subscribers = 0;
  };

  [[nodiscard]] std::vector<std::string> parts_of(const subscriber& s,
                                                  std::string_view topic) const;
  void count(std::uint64_t& counter, std::string_view user_id, right wanted, std::string_view name);

  zmtp::access_guard guard_;
  access_counters counters_;
  std::vector<access_refusal> refusals_;
  std::unordered_map<zmtp::peer_id, subscriber> subscribers_;
  std::unordered_map<std::uint64_t, session_owner> owners_;
};

}  // namespace chp
