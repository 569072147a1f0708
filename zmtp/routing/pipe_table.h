#pragma once
// The pipes of a socket: the send queue and the receive queue of each peer.

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

// Bytes that were read from a peer and are not in the queue `in` yet.
enum class unread : std::uint8_t {
  nothing,
  beginning,  // a partial message
  messages,   // whole messages that wait for space in `in`, perhaps also a partial one
};

// Belongs to an accepted connection, or to an endpoint that the socket connects to. A pipe of an
// endpoint outlives connections and keeps unsent messages.
struct alignas(cache_line) pipe {
  pipe(peer_id own_id, bool is_durable, const socket_options& options,
       queue_account* account) noexcept
      : id{own_id},
        durable{is_durable},
        // A conflating queue never holds more than one message, so marks do not apply.
        out{options.conflate ? high_water_mark{.messages = {}, .octets = {}} : options.send_mark,
            account},
        in{options.receive_mark, account} {}

  // Call shortly before a message is sent to this peer.
  void prefetch() const noexcept {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&out, 1);
  }

  // Queueing a message touches two cache lines: the first one of the pipe, and the first one of
  // `out`.
  peer_id id;
  bool durable;
  bool attached = false;   // a conversation after its handshake uses the pipe
  bool met = false;        // attached at least once
  bool announced = false;  // the user has received the attach, but not the detach
  bool closing = false;    // remains only until the user has received its messages
  bool dirty = false;      // messages were sent since the shell last looked
  bool paused = false;     // the user has paused receiving from this peer
  bool blocked = false;    // undecoded bytes wait for space in `in`
  bool lagging = false;    // PUB: drops messages until the queue has space …
  bool overrun = false;    // … or until its connection, which must close, has ended
  // Undecoded at the last on_received().
  unread rest = unread::nothing;
  peer_counters counters;
  // The pipe that owns the endpoint now, and counts messages that are still received from earlier
  // pipes. Shared by all pipes that have owned the endpoint. Null if there was only this one.
  std::shared_ptr<peer_id> holder;
  alignas(cache_line) send_queue out;
  receive_queue in;
  peer_info info;
};

// Reuses slots with a new generation, so that an old peer_id finds nothing.
class pipe_table {
public:
  // The queues charge `account`, or no account.
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
