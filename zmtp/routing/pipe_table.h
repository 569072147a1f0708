#pragma once
// The pipes of a socket: for each peer what waits to be sent and what waits to be received.

#include "zmtp/buffer/cache_line.h"
#include "zmtp/buffer/queue_account.h"
#include "zmtp/buffer/receive_queue.h"
#include "zmtp/buffer/send_queue.h"
#include "zmtp/options.h"
#include "zmtp/routing/peer_counters.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/peer_info.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace zmtp {

// Bytes that were read from a peer and are not in `in` yet.
enum class unread : std::uint8_t {
  nothing,
  beginning,  // part of a message; the peer has not sent all of it
  messages,   // whole messages, which wait for room, and perhaps part of another one
};

// Belongs to one connection that was accepted, or to one endpoint that we connect to; then it outlives
// connections, and keeps what was not sent.
struct alignas(cache_line) pipe {
  pipe(peer_id own_id, bool is_durable, const socket_options& options,
       queue_account* account) noexcept
      : id{own_id},
        durable{is_durable},
        // Of what conflates there is never more than one that waits.
        out{options.conflate ? high_water_mark{.messages = {}, .octets = {}} : options.send_mark,
            account},
        in{options.receive_mark, account} {}

  // Something will be sent to it soon.
  void prefetch() const noexcept {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&out, 1);
  }

  // What a message that is queued needs is in two cache lines: the first one, and the first of `out`.
  peer_id id;
  bool durable;
  bool attached = false;   // a conversation in traffic is on it
  bool met = false;        // there has been one
  bool announced = false;  // the user has been told of the attach, and not of the detach
  bool closing = false;    // gone but for what the user has not received yet
  bool dirty = false;      // something was sent since the shell last looked
  bool paused = false;     // the user does not want to receive from it
  bool blocked = false;    // octets have been read that wait for room in `in`
  bool lagging = false;    // PUB: misses messages until its queue has room …
  bool overrun = false;    // … or until its connection, which is to end for that, has ended
  // Left to decode at the last on_received().
  unread rest = unread::nothing;
  peer_counters counters;
  // The pipe that has the endpoint now, and counts messages that are still received from others. Shared by
  // all pipes that have had the endpoint; none if this one alone has had it.
  std::shared_ptr<peer_id> holder;
  alignas(cache_line) send_queue out;
  receive_queue in;
  peer_info info;
};

// Slots are used again, with another generation; a stale peer_id finds nothing.
class pipe_table {
public:
  // The queues are of this account, or nobody's.
  explicit pipe_table(const socket_options& options, queue_account* account = nullptr) noexcept
      : options_{&options}, account_{account} {}

  pipe& open(bool durable);
  void erase(peer_id id) noexcept;
  [[nodiscard]] pipe* find(peer_id id) const noexcept {
    if (id.slot < pipes_.size()) {
      if (auto* p = pipes_[id.slot].get(); p != nullptr && p->id.generation == id.generation) {
        return p;
      }
    }
    return nullptr;
  }
  // The slot must be in use.
  [[nodiscard]] pipe& at(std::uint32_t slot) const noexcept { return *pipes_[slot]; }
  [[nodiscard]] std::size_t size() const noexcept { return pipes_.size() - free_.size(); }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& p : pipes_) {
      if (p) {
        visit(*p);
      }
    }
  }

private:
  const socket_options* options_;
  queue_account* account_;
  std::vector<std::unique_ptr<pipe>> pipes_;
  std::vector<std::uint32_t> generations_;
  std::vector<std::uint32_t> free_;
};

}  // namespace zmtp
