#pragma once
// The history of a simulated pair of the map: the updates of all clients, their outcomes, and the
// promises that these break. Pure.
//
// Each value is written once, so a value names its update. A key that begins with `/once/` is set
// once, and one that begins with `/once/ttl/` with a time to live. Other keys are set and erased by
// all clients.

#include "chp/truth.h"
#include "test/chp/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "zmtp/simulation/run_state.h"

#include <boost/system/error_code.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp::simulation {

// 0 is the primary, 1 the backup.
using server = std::size_t;

[[nodiscard]] inline bool is_once(std::string_view key) { return key.starts_with("/once/"); }

[[nodiscard]] inline bool expires(std::string_view key) { return key.starts_with("/once/ttl/"); }

// An update of a program that sends it to both servers without an id can be executed twice. Its
// value has this mark.
inline constexpr char twice_mark = '~';
[[nodiscard]] inline bool may_be_made_twice(std::string_view value) {
  return value.find(twice_mark) != value.npos;
}

// No client replaces or erases its value.
[[nodiscard]] inline bool is_kept(std::string_view key) { return is_once(key) && !expires(key); }

// The rates of the hosts' clocks are between these, in percent.
inline constexpr unsigned slowest_clock = 90;
inline constexpr unsigned fastest_clock = 110;

class map_history {
public:
  using time_point = zmtp::simulation::event_queue::time_point;
  using finding = zmtp::simulation::finding<violation>;
  using content = std::map<std::string, std::string, std::less<>>;
  // Names an update.
  using index = std::size_t;

  struct rules {
    bool block = false;            // the policy of both servers
    bool beside_guide = false;     // one of them is the Guide's
    bool witness = false;          // the pair has one
    std::array<bool, 2> stores{};  // each server has one
  };

  map_history(zmtp::simulation::run_state& in, const rules& how) : world_{&in}, rules_{how} {}

  // The update of a key that expires.
  struct lease {
    index which = 0;
    std::string key;
    time_point began;
    std::chrono::seconds ttl{0};
    index expiry = 0;  // on both servers; 0: none
  };

  [[nodiscard]] const rules& how() const noexcept { return rules_; }
  // An update of a client. An empty value erases. A time to live of 0 does not end.
  [[nodiscard]] index begin(std::string_view client, std::string key, std::string value,
                            std::chrono::seconds ttl = {});
  // `copy` is the value of the key in the client's copy. The client follows server `by`.
  void end(index which, const boost::system::error_code& ec, truth says,
           const std::optional<std::string>& copy, server by = 0);
  // The client has ended before the update.
  void forget(index which);
  // A disk of a server has the value.
  void on_disk(server of, std::string_view value);
  // A client sees a key that is set once, and that both servers have by what it was told.
  void on_seen(std::string_view key);
  // The client was told that an update is lost.
  void on_told_lost(std::string_view key, std::string_view value);
  // The client follows another history, which may have what the last one did not have.
  void on_told_history_lost(std::string_view client);
  // The client cannot follow the last history, which may have what an earlier one did not have.
  void on_unserved(std::string_view client);
  // The client was told that it may have lost more than it was told.
  void on_untellable(std::string_view client);

  // An active server has ended the key, and both servers have that.
  void on_expired(const lease& of, const std::string& host);
  // An active server has the key.
  void on_present(const lease& of, const std::string& host);
  [[nodiscard]] const std::vector<lease>& leases() const noexcept { return leases_; }

  // A line of a file of lost updates. `kept` is the map of the other server.
  void on_lost_line(const std::string& line, const content& kept);
  void on_active(server of);
  // A server learns that both servers have more. An update of one server can be among that.
  void on_more_on_both() { more_on_both_at_ = ++steps_; }
  // A server without data and without a record of epochs becomes active beside one with data.
  void on_empty_promoted();
  // A server waits for an operator, who lets it drop what it has.
  void on_stopped(std::string_view host);
  // After a loss of memory or of a disk: the maps that servers still have. A map without keys is that
  // of a server without data.
  // Not `certain`: one of them has more in its log.
  void on_loss(const std::vector<content>& left, bool certain = true);
  // Returns these maps. Needed for outcomes that were under way during a loss.
  void look_with(std::function<std::vector<content>()> look) { look_ = std::move(look); }
  // All is well, for longer than any time to live: the map of the active server.
  void on_rest(const content& map);

  // All values are those of clients.
  void check_values(const content& map);

  void report(violation what, std::string text);
  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }
  [[nodiscard]] std::size_t gone() const noexcept { return gone_; }
  [[nodiscard]] std::size_t expired() const noexcept { return expired_; }
  // All numbers of the history, by name.
  [[nodiscard]] std::vector<std::pair<std::string_view, std::size_t>> figures() const;

private:
  enum class fate : std::uint8_t { open, committed, never, not_there };
  struct update {
    std::string client;
    std::string key;
    std::string value;
    std::chrono::seconds ttl{0};
    time_point began_at;
    std::uint64_t began = 0;
    std::uint64_t ended = 0;        // 0: not committed
    std::uint64_t told_absent = 0;  // when the client was told so
    fate became = fate::open;
    truth says = truth::unknown;
    server by = 0;  // the sender of the outcome
    bool reported_lost = false;
    bool may_return = false;  // because the history in which it was lost or refused was lost
    bool in_file = false;
    bool not_in_log = false;        // others may have replaced it before a server wrote a file
    bool was_seen = false;          // on both servers, by what the client was told
    std::array<bool, 2> on_disk{};  // one for each server, at some time
    bool gone = false;              // no server has it any more
    bool may_be_gone = false;       // perhaps, because a server had more than its map
    bool was_gone = false;          // the same, before it ended
    bool was_on_both = false;       // perhaps, when the last server lost it
  };

  // Lost, or refused by a server. This is true in the history of the server that said so.
  [[nodiscard]] static bool was_told_absent(const update& u) {
    return u.reported_lost || u.became == fate::not_there;
  }
  void check_truth(const update& u);
  // Returns nullptr, and reports it, if no client has written the value.
  [[nodiscard]] const update* writer_of(const std::string& key, const std::string& value);
  [[nodiscard]] bool has(const std::vector<content>& left, const update& u) const;
  // An update is there again if one of the maps has its value.
  void find_again(const std::vector<content>& maps);
  // One of the maps has the very value, not a newer one.
  [[nodiscard]] static bool holds_value(const std::vector<content>& left, const update& u);
  void judge_loss(const update& u, const std::optional<std::string_view>& now);
  // Whether one server has acknowledged what the copy shows, and the other executed it again later.
  [[nodiscard]] bool is_repeated(const update& u, const std::optional<std::string>& copy) const;
  // Whether this content of the key can follow from an order in which the update is executed.
  [[nodiscard]] bool explains(const std::optional<std::string_view>& now, const update& u) const;
  // The server with the fastest clock can have ended the value.
  [[nodiscard]] bool can_be_over(const update& u) const;
  [[nodiscard]] bool is_older(const update& one, const update& than) const {
    return one.ended != 0 && one.ended < than.began;
  }
  [[nodiscard]] static std::optional<std::string_view> value_in(const content& map,
                                                                const std::string& key);
  [[nodiscard]] static std::string name(const update& u);

  zmtp::simulation::run_state* world_;
  rules rules_;
  std::uint64_t steps_ = 0;
  std::vector<update> updates_;
  std::map<std::string, index, std::less<>> writers_;                // by value
  std::map<std::string, std::vector<index>, std::less<>> erasures_;  // by key
  std::map<std::string, std::vector<index>, std::less<>> expiring_;  // by key
  std::vector<lease> leases_;
  std::map<std::string, bool, std::less<>> untellable_;  // by client
  std::function<std::vector<content>()> look_;
  struct activation {
    server of = 0;
    std::uint64_t at = 0;
  };
  std::vector<activation> active_;
  std::uint64_t more_on_both_at_ = 0;
  bool empty_promoted_ = false;
  std::vector<finding> findings_;
  std::size_t committed_ = 0;
  std::size_t on_both_ = 0;
  std::size_t reported_lost_ = 0;
  std::size_t gone_ = 0;
  std::size_t stopped_ = 0;
  std::size_t expired_ = 0;
  std::size_t lines_ = 0;
};

}  // namespace chp::simulation
