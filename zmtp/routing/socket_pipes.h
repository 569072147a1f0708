#pragma once
// The pipes of a socket, and which of them to receive from, to write, to resume and to end.

#include "zmtp/buffer/memory_account.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/routing/pipe.h"

#include <boost/circular_buffer.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp {

// Derived classes decide which peer gets a message.
class socket_pipes {
public:
  socket_pipes(const socket_pipes&) = delete;
  socket_pipes& operator=(const socket_pipes&) = delete;

  [[nodiscard]] pipe* find(peer_id id) const noexcept { return pipes_.find(id); }
  template <class Visit>
  void for_each_pipe(Visit&& visit) const {
    pipes_.for_each(visit);
  }
  // The memory of all queues.
  [[nodiscard]] memory_account& account() noexcept { return account_; }
  // Returns whether sent messages are still queued for any peer.
  [[nodiscard]] bool unwritten() const noexcept;

  // Adds the peer to dirty().
  void touch(pipe& p) {
    if (!p.dirty) {
      add_dirty(p);
    }
  }
  // Pipes with messages to write, in turn. The shell writes them.
  [[nodiscard]] boost::circular_buffer<peer_id>& dirty() noexcept { return dirty_; }
  // Blocked pipes whose undecoded bytes fit now, because the user has received messages.
  [[nodiscard]] std::vector<peer_id>& resumable() noexcept { return resumable_; }
  // Peers that were too slow. The shell must close their connections
  // (socket_options::disconnect_slow).
  [[nodiscard]] std::vector<peer_id>& too_slow() noexcept { return too_slow_; }

  // Stops receiving from a peer, and starts again. A peer that has disconnected cannot be paused,
  // because its detach is the last item of its queue.
  void pause(pipe& p) noexcept;
  void resume(pipe& p) {
    p.paused = false;
    mark_readable(p);
  }
  // Call when nothing can be written to the peer any more. Its remaining messages are then received
  // in spite of the marks, until the next connection. Otherwise a user who waits to send to this
  // peer would never receive, and the end of the connection would never be read.
  void take_rest(pipe& p) {
    p.in.set_marks({.messages = {}, .bytes = {}});
    unblock(p);
  }

protected:
  explicit socket_pipes(const socket_options& options) noexcept : options_{options} {}
  ~socket_pipes() = default;

  // Call when p.in has grown.
  void mark_readable(pipe& p) {
    if (!p.paused && !p.in.empty()) {
      readable_.insert(p.id.slot);
    }
  }
  // Returns the next pipe to receive from, or nullptr if all queues are empty.
  [[nodiscard]] pipe* next_readable() const noexcept {
    return readable_.empty() ? nullptr : &pipes_.at(readable_.current());
  }
  // Takes the front of the next queue, which is `p`. With `in_order`, the same pipe is the next one
  // until its queue is empty.
  void take_front(pipe& p, message& to, bool in_order) {
    prepare_taking(p);
    p.in.pop(to);
    on_taken(p, in_order);
  }
  // Like the above for the first entry, or its first `most` messages.
  [[nodiscard]] queue_entry take_front(pipe& p, std::size_t most, bool in_order) {
    prepare_taking(p);
    auto taken = p.in.take(most);
    on_taken(p, in_order);
    return taken;
  }
  // After this, on_taken() does not throw, so that a message that was taken is not lost.
  void prepare_taking(const pipe& p) {
    if (p.blocked && resumable_.size() == resumable_.capacity()) {
      resumable_.reserve(2 * resumable_.size() + 1);
    }
  }
  void on_taken(pipe& p, bool in_order) {
    if (p.in.empty()) {
      on_emptied(p);
    } else if (!in_order) {
      readable_.advance();
    }
    if (p.blocked && p.in.half_empty()) {
      unblock(p);
    }
  }
  // Call when p.in has become empty.
  void on_emptied(pipe& p) {
    readable_.erase(p.id.slot);
    p.in.compact();
  }
  // Lets a blocked pipe decode its bytes again.
  void unblock(pipe& p) {
    if (std::exchange(p.blocked, false)) {
      resumable_.push_back(p.id);
    }
  }
  // Makes `next` the owner of the endpoint of `last`, and of what it has counted.
  static void pass_on(pipe& last, pipe& next);
  // Returns the pipe that counts messages from this peer: its own pipe, or the pipe of the next
  // peer at its endpoint.
  [[nodiscard]] pipe& counting(pipe& p) const noexcept {
    auto* const holder = p.holder ? find(*p.holder) : nullptr;
    return holder != nullptr ? *holder : p;
  }

  socket_options options_;
  memory_account account_;
  pipe_table pipes_{options_, &account_};
  slot_ring readable_;
  std::vector<peer_id> too_slow_;

private:
  void add_dirty(pipe& p);

  boost::circular_buffer<peer_id> dirty_;
  std::vector<peer_id> resumable_;
};

}  // namespace zmtp
