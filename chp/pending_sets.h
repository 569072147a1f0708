#pragma once
// The updates of a client without an outcome, in order. Pure.

#include "chp/answers.h"
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

// An update of a caller.
struct new_update {
  std::uint64_t of = 0;  // its ticket: chosen by the caller, in ascending order
  std::string key{};
  std::string properties{};
  std::string value{};
  bool echoed = false;    // the followed server will publish it in the client's subtree
  bool for_both = false;  // its caller waits until both servers have it
};

// An update that was sent, as its KVSET.
struct sent_update {
  std::uint64_t of;
  std::uint64_t counter;
  zmtp::message set;
  std::size_t own_properties;  // bytes of the caller's properties, which come first
  bool awaited;
  bool echoed;
  bool for_both;
  bool over = false;
};

// An update waits until the limits of sent updates allow it. It then gets the session's next
// counter, and is kept as its KVSET until it has an outcome, so that it can be resent. An unsent
// update can be withdrawn, because it has no counter yet. So counters have no gaps.
class pending_sets {
public:
  using ticket = std::uint64_t;

  pending_sets(std::uint64_t session, form how, std::size_t most, std::size_t most_bytes)
      : session_{session}, how_{how}, most_{most}, most_bytes_{most_bytes} {}

  // The counters begin again. No sent update may be left.
  void begin_session(std::uint64_t session) noexcept;

  void add(new_update&& update) { unsent_.push_back(std::move(update)); }

  // Returns whether the limits allow to send an update for the first time.
  [[nodiscard]] bool can_send() const noexcept;
  // Sends the next one, with more properties after those of the caller. There must be one. The
  // result is valid until the next change.
  const zmtp::message& send_next(std::string_view more_properties);
  [[nodiscard]] std::uint64_t next_counter() const noexcept { return last_counter_ + 1; }
  // Returns the lowest counter without an outcome, or the next one.
  [[nodiscard]] std::uint64_t first_counter() const noexcept;
  // The sent updates, in order. Skip those that are over.
  [[nodiscard]] const std::deque<sent_update>& all_sent() const noexcept { return sent_; }

  // The end of an update. commit() removes committed updates, and appends their ends to `done`.
  struct ended {
    ticket of;
    errc how;  // errc{}: committed
    friend bool operator==(const ended&, const ended&) = default;
  };
  void commit(const update_id& echo, std::vector<ended>& done);
  // For kvsimple, which has no ids: commits the first update with this key and value.
  void commit(std::string_view key, std::string_view value, std::vector<ended>& done);
  // Returns the counter of the last sent update, if it or an earlier one will not be echoed.
  // commit_unechoed() commits these updates.
  [[nodiscard]] std::optional<std::uint64_t> last_unechoed() const noexcept;
  void commit_unechoed(std::uint64_t up_to, std::vector<ended>& done);
  // Removes the sent updates with these counters, and appends them to `taken`.
  void take(const counter_range& which, std::vector<sent_update>& taken);

  enum class given_up { unknown, unsent, sent };
  // Ends the wait for an update. Withdraws it if it was not sent. Otherwise it stays until it has
  // an outcome.
  given_up give_up(ticket of);

  [[nodiscard]] std::uint64_t session() const noexcept { return session_; }
  [[nodiscard]] std::size_t sent() const noexcept { return sent_open_; }
  [[nodiscard]] std::size_t unsent() const noexcept { return unsent_.size(); }
  // Number of slots of sent updates, including at most as many that are over.
  [[nodiscard]] std::size_t places() const noexcept { return sent_.size(); }

private:
  void end(sent_update& one);
  void commit(sent_update& one, std::vector<ended>& done);
  void drop_ended();
  [[nodiscard]] std::deque<sent_update>::iterator at_or_after(std::uint64_t counter) noexcept;
  [[nodiscard]] std::deque<sent_update>::iterator find_counter(std::uint64_t counter) noexcept;

  std::uint64_t session_;
  form how_;
  std::size_t most_;
  std::size_t most_bytes_;
  std::uint64_t last_counter_ = 0;
  std::deque<sent_update> sent_;  // in ascending order of counters; the first one is not over
  std::size_t sent_open_ = 0;     // number of those in sent_ that are not over
  std::size_t sent_bytes_ = 0;
  std::deque<new_update> unsent_;
  // In kvsimple: the counters of the updates that wait for an echo, by a hash of key and value.
  std::set<std::pair<std::size_t, std::uint64_t>> by_content_;
};

}  // namespace chp
