#pragma once
// The updates of a client that are not committed yet, in their order. Pure.

#include "chp/acknowledgement.h"
#include "chp/command.h"
#include "chp/error.h"
#include "chp/update_id.h"
#include "zmtp/message.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

// An update waits until there is room among those that were sent, is given the session's next counter, and
// is kept as the KVSET that was sent, to be sent again, until it is committed. One that was not sent yet can
// be withdrawn without a trace; so no counter is ever missing.
class pending_sets {
public:
  using ticket = std::uint64_t;  // of the user's; they rise

  pending_sets(std::uint64_t session, form how, std::size_t most, std::size_t most_octets)
      : session_{session}, how_{how}, most_{most}, most_octets_{most_octets} {}

  // `echoed`: it will be seen in the subtree that the client follows.
  void add(ticket of, std::string key, std::string properties, std::string value, bool echoed);

  // The next to be sent for the first time, if there is room. Valid until something changes.
  [[nodiscard]] const zmtp::message* send_next();
  // All that were sent and are not committed, in their order.
  template <class Visit>
  void for_each_sent(Visit&& visit) const {
    for (const auto& one : sent_) {
      if (!one.over) {
        visit(one.set);
      }
    }
  }

  // Those that are committed now are gone, and those that were refused, or may have been (errc::unconfirmed);
  // who waits for them is appended.
  struct ended {
    ticket of;
    errc how;  // none of one that is committed
    friend bool operator==(const ended&, const ended&) = default;
  };
  void commit(const acknowledgement& told, std::vector<ended>& done);
  void commit(const update_id& echo, std::vector<ended>& done);
  // What kvsimple has in place of the id: of the updates that set this the first one is committed.
  void commit(std::string_view key, std::string_view value, std::vector<ended>& done);
  // The counter of the last one that was sent, if one up to it will not be echoed; and those of them.
  [[nodiscard]] std::optional<std::uint64_t> last_unechoed() const noexcept;
  void commit_unechoed(std::uint64_t up_to, std::vector<ended>& done);

  enum class given_up { unknown, unsent, sent };
  // Nobody waits for it any more: it is withdrawn, or if it was sent, stays until it is committed.
  given_up give_up(ticket of);

  [[nodiscard]] std::uint64_t session() const noexcept { return session_; }
  [[nodiscard]] std::size_t sent() const noexcept { return sent_open_; }
  [[nodiscard]] std::size_t unsent() const noexcept { return unsent_.size(); }
  // Places that are taken by what was sent: also by some that are committed, but by no more than that.
  [[nodiscard]] std::size_t places() const noexcept { return sent_.size(); }

private:
  struct sent_set {
    ticket of;
    std::uint64_t counter;
    zmtp::message set;
    bool awaited;
    bool echoed;
    bool over = false;
  };
  struct unsent_set {
    ticket of;
    std::string key;
    std::string properties;
    std::string value;
    bool echoed;
  };

  void end(sent_set& one, errc how, std::vector<ended>& done);
  void drop_ended();

  [[nodiscard]] std::deque<sent_set>::iterator find_counter(std::uint64_t counter) noexcept;

  std::uint64_t session_;
  form how_;
  std::size_t most_;
  std::size_t most_octets_;
  std::uint64_t last_counter_ = 0;
  std::deque<sent_set> sent_;  // their counters rise
  std::size_t sent_open_ = 0;  // of them not committed
  std::size_t sent_octets_ = 0;
  std::deque<unsent_set> unsent_;
  // In kvsimple: by a hash of key and value the counters of those whose echo is awaited.
  std::set<std::pair<std::size_t, std::uint64_t>> by_content_;
};

}  // namespace chp
