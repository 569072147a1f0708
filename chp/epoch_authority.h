#pragma once
// A witness of a pair: it grants epochs, and knows which servers have all that was committed. Pure.

#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace chp {

// One incarnation of a server: it lives in the store. A server without a store draws a new one at
// each start, because it has lost what it had.
using member_id = std::uint64_t;

// The record of the witness. It changes only as a whole, from a known record to the next one.
struct membership {
  std::uint64_t epoch = 0;         // 0: no server was active yet
  member_id active = 0;            // the server that has the epoch
  std::vector<member_id> in_sync;  // these have everything that was committed

  [[nodiscard]] bool has(member_id member) const {
    return std::find(in_sync.begin(), in_sync.end(), member) != in_sync.end();
  }
  friend bool operator==(const membership&, const membership&) = default;
};

// Returns whether a server may make the record into another one. Only a member takes over, with a
// higher epoch and with other members only. Only the active server changes the set in its epoch.
[[nodiscard]] inline bool may_change(const membership& from, const membership& to,
                                     member_id server) {
  if (to.active != server || !to.has(server)) {
    return false;
  }
  if (to.epoch == from.epoch) {
    return from.active == server && from.epoch != 0;
  }
  const bool are_members = std::all_of(to.in_sync.begin(), to.in_sync.end(),
                                       [&](member_id each) { return from.has(each); });
  return to.epoch > from.epoch && (from.epoch == 0 || are_members);
}

// The source of epochs of one server.
//
// - After a removal, the server commits alone only when the change was granted.
// - Before it asks for an addition, the member has confirmed all that is committed. From then on,
//   nothing is committed without that member's confirmation, whatever the answer is.
// - An attempt that failed with an error may have been carried out. The server reads the record until
//   the outcome is certain, and commits nothing meanwhile.
//
// Thread safety: not safe. Handlers are never called inside a call.
class epoch_authority {
public:
  // `granted` is false if the record is another one, which is `now`. After an error, `now` is empty.
  struct answer {
    bool granted = false;
    membership now;
  };
  using handler = std::function<void(boost::system::error_code, answer)>;

  virtual ~epoch_authority() = default;

  // Reads the record.
  virtual void read(handler on_read) = 0;
  // Becomes active with an epoch above that of the record as it was read last.
  virtual void acquire(std::uint64_t epoch, std::vector<member_id> in_sync, handler on_done) = 0;
  // Changes the set in the epoch that was acquired.
  virtual void change(std::vector<member_id> in_sync, handler on_done) = 0;
  // Calls `on_lost` when another server has acquired a higher epoch, once for each epoch of ours.
  virtual void on_lost(std::function<void(membership)> on_lost) = 0;
};

}  // namespace chp
