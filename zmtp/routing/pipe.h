#pragma once
// A pipe is the send queue and the receive queue of one peer. Here are also the table that finds
// pipes, and rings that select the next one.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/memory_account.h"
#include "zmtp/buffer/receive_queue.h"
#include "zmtp/buffer/send_queue.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace zmtp {

// A ring of slots with a cursor for the next one. All operations take constant time for any number
// of peers.
class slot_ring {
public:
  using slot = std::uint32_t;

  [[nodiscard]] bool empty() const noexcept { return cursor_ == none; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool contains(slot s) const noexcept {
    return s < links_.size() && links_[s].next != none;
  }
  // Returns the slot at the cursor. The ring must not be empty.
  [[nodiscard]] slot current() const noexcept { return cursor_; }
  void advance() noexcept { cursor_ = links_[cursor_].next; }

  // Returns the slot after `s`, which must be in the ring.
  [[nodiscard]] slot after(slot s) const noexcept { return links_[s].next; }
  // Returns the slot `places` steps after `s`.
  [[nodiscard]] slot after(slot s, int places) const noexcept {
    for (; places != 0; --places) {
      s = after(s);
    }
    return s;
  }
  // Moves the cursor to `s`, which must be in the ring.
  void turn_to(slot s) noexcept { cursor_ = s; }

  // Inserts a slot at the end, just before the cursor. Does nothing if it is in the ring.
  void insert(slot s) {
    if (contains(s)) {
      return;
    }
    if (s >= links_.size()) {
      links_.resize(s + 1);
    }
    ++size_;
    if (empty()) {
      links_[s] = {s, s};
      cursor_ = s;
      return;
    }
    const auto last = links_[cursor_].previous;
    links_[s] = {cursor_, last};
    links_[last].next = s;
    links_[cursor_].previous = s;
  }

  // Removes a slot. If the cursor is at this slot, moves it to the next one.
  void erase(slot s) noexcept {
    if (!contains(s)) {
      return;
    }
    const auto [next, previous] = links_[s];
    links_[previous].next = next;
    links_[next].previous = previous;
    links_[s] = {};
    --size_;
    if (cursor_ == s) {
      cursor_ = next == s ? none : next;
    }
  }

private:
  static constexpr slot none = 0xffff'ffff;
  struct link {
    slot next = none;
    slot previous = none;
  };

  std::vector<link> links_;
  slot cursor_ = none;
  std::size_t size_ = 0;
};

// Bytes that were read from a peer and are not in the queue `in` yet.
enum class unread : std::uint8_t {
  nothing,
  beginning,  // a partial message
  messages,   // whole messages that wait for space in `in`, perhaps also a partial one
};

// The two queues of one peer. Belongs to an accepted connection, or to an endpoint that the socket
// connects to. A pipe of an endpoint outlives connections and keeps unsent messages.
struct alignas(cache_line) pipe {
  pipe(peer_id own_id, bool is_durable, const socket_options& options,
       memory_account* account) noexcept
      : id{own_id},
        durable{is_durable},
        // A conflating queue never holds more than one message, so marks do not apply.
        out{options.conflate ? high_water_mark{.messages = {}, .bytes = {}} : options.send_mark,
            account},
        in{options.receive_mark, account} {}

  // Call shortly before a message is sent to this peer.
  void prefetch() const noexcept {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&out, 1);
  }

  // Drops the messages that the peer has not received whole. Returns their number.
  std::size_t drop_unsent() noexcept {
    out.rewind();
    const auto dropped = out.messages();
    out.clear();
    return dropped;
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
  bool too_slow = false;   // … or until its connection, which must close, has ended
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
  explicit pipe_table(const socket_options& options, memory_account* account = nullptr) noexcept
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
  memory_account* account_;
  std::vector<std::unique_ptr<pipe>> pipes_;
  std::vector<std::uint32_t> generations_;
  std::vector<std::uint32_t> free_;
};

}  // namespace zmtp
