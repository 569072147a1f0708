#pragma once
// A witness of a pair: a third place that knows which servers have all that was committed, and which
// of them is active. Pure.

#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace chp {

// One incarnation of a server: it lives in the store. A server without a store draws a new one at
// each start, because it has lost what it had.
using member_id = std::uint64_t;

// The record of a witness. It changes only as a whole.
struct membership {
  std::uint64_t revision = 0;        // rises with each change, also with one by an operator
  std::uint64_t epoch = 0;           // 0: no server has asked for one yet
  member_id active = 0;              // the server that has the epoch
  std::vector<member_id> in_sync{};  // these have everything that was committed; empty: not known

  [[nodiscard]] bool has(member_id member) const {
    return std::find(in_sync.begin(), in_sync.end(), member) != in_sync.end();
  }
  friend bool operator==(const membership&, const membership&) = default;
};

// Returns whether a server may change the record in this way. Only a member takes over, with a
// higher epoch and with other members only. If there are no members, any server does. Only the active
// server changes the set in its epoch.
[[nodiscard]] inline bool may_change(const membership& from, const membership& to,
                                     member_id server) {
  if (to.revision <= from.revision || to.active != server || !to.has(server)) {
    return false;
  }
  if (to.epoch == from.epoch) {
    return from.active == server && from.epoch != 0;
  }
  const bool are_members = std::all_of(to.in_sync.begin(), to.in_sync.end(),
                                       [&](member_id each) { return from.has(each); });
  return to.epoch > from.epoch && (from.in_sync.empty() || are_members);
}

// One record that both servers of a pair can reach, also when they cannot reach each other. It
// compares and sets, and has no rules of its own: those are in witness_state.
//
// Thread safety: not safe. Handlers are never called inside a call. They run in the executor of the
// server, and not after the witness was destroyed.
class witness {
public:
  using handler = std::function<void(boost::system::error_code, const membership& now)>;

  virtual ~witness() = default;

  // Replaces the record by `to` if it equals `from`. A record that does not exist equals
  // membership{}. The server makes one call at a time.
  //
  // Completes with: error_code, and the record after the call. After an error the change may have been
  // made, or may be made later.
  virtual void replace(const membership& from, const membership& to, handler on_done) = 0;
  // Calls `on_change` with the record, first soon after this call, then after each change. Calls may
  // be late, and may leave out all records but the last. The server calls watch() once, before
  // replace().
  virtual void watch(std::function<void(const membership&)> on_change) = 0;
};

}  // namespace chp
