#pragma once
// The uncommitted updates of a client, in order. Pure.

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

// An update waits until the limits of sent updates allow it. It then gets the session's next
// counter, and is kept as its KVSET until it is committed, so that it can be resent. An unsent
// update can be withdrawn, because it has no counter yet. So counters have no gaps.
class pending_sets {
public:
  using ticket = std::uint64_t;  // chosen by the caller, in ascending order

  pending_sets(std::uint64_t session, form how, std::size_t most, std::size_t most_bytes)
      : session_{session}, how_{how}, most_{most}, most_bytes_{most_bytes} {}

  // `echoed`: the followed server will publish it in the client's subtree.
  void add(ticket of, std::string key, std::string properties, std::string value, bool echoed);

  // Returns the next update to send for the first time, if the limits allow it, or null. Valid
  // until the next change.
  [[nodiscard]] const zmtp::message* send_next();
  // Visits all sent updates that are not committed, in order.
  template <class Visit>
  void for_each_sent(Visit&& visit) const {
    for (const auto& one : sent_) {
      if (!one.over) {
        visit(one.set);
      }
    }
  }

  // The end of an update. commit() removes committed and refused updates, and those that may have
  // been refused (errc::unconfirmed), and appends their ends to `done`.
  struct ended {
    ticket of;
    errc how;  // errc{} if committed
    friend bool operator==(const ended&, const ended&) = default;
  };
  void commit(const acknowledgement& notified, std::vector<ended>& done);
  void commit(const update_id& echo, std::vector<ended>& done);
  // For kvsimple, which has no ids: commits the first update with this key and value.
  void commit(std::string_view key, std::string_view value, std::vector<ended>& done);
  // Returns the counter of the last sent update, if it or an earlier one will not be echoed.
  // commit_unechoed() commits these updates.
  [[nodiscard]] std::optional<std::uint64_t> last_unechoed() const noexcept;
  void commit_unechoed(std::uint64_t up_to, std::vector<ended>& done);

  enum class given_up { unknown, unsent, sent };
  // Ends the wait for an update. Withdraws it if it was not sent. Otherwise it stays until it is
  // committed.
  given_up give_up(ticket of);

  [[nodiscard]] std::uint64_t session() const noexcept { return session_; }
  [[nodiscard]] std::size_t sent() const noexcept { return sent_open_; }
  [[nodiscard]] std::size_t unsent() const noexcept { return unsent_.size(); }
  // Number of slots of sent updates, including at most as many committed ones.
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
  std::size_t most_bytes_;
  std::uint64_t last_counter_ = 0;
  std::deque<sent_set> sent_;  // in ascending order of counters
  std::size_t sent_open_ = 0;  // number of uncommitted ones in sent_
  std::size_t sent_bytes_ = 0;
  std::deque<unsent_set> unsent_;
  // In kvsimple: the counters of the updates that wait for an echo, by a hash of key and value.
  std::set<std::pair<std::size_t, std::uint64_t>> by_content_;
};

}  // namespace chp
