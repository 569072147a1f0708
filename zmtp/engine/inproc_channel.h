#pragma once
// The channel between two sockets of one process: a mailbox per direction.

#include "zmtp/buffer/send_queue.h"
#include "zmtp/buffer/subscription_changes.h"
#include "zmtp/engine/after_turn.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/executor.h"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace zmtp {

class inproc_link;

// Entries move from queue to queue unchanged, without copying, encoding or decoding. The lock is
// taken once per batch.
//
// Thread safety: safe. Each side passes its own `end`.
class inproc_channel : public std::enable_shared_from_this<inproc_channel> {
public:
  enum class end : std::size_t { connecting, binding };

  // Space that the other side can fill again.
  struct room {
    std::size_t messages = 0;
    std::size_t bytes = 0;
  };
  // Data of the other side since the last call.
  struct mail {
    std::optional<peer_info> hello;  // the other side is ready to receive …
    std::vector<message> greetings;  // … and these are its first messages
    subscription_changes subscriptions;
    std::vector<queue_entry> messages;
    bool over = false;  // the other side has closed; nothing follows `messages`
  };

  // Adds a side. inproc_link::on_mail() of `who` is called in `executor`. Other threads reach that
  // executor through `where`.
  void join(end own, const asio::any_io_executor& executor, std::shared_ptr<remote_executor> where,
            std::weak_ptr<inproc_link> who);
  // Returns whether both sides have the same executor.
  [[nodiscard]] bool near();
  void say_hello(end own, peer_info who, std::vector<message> greetings);
  void tell(end own, bool subscribe, std::string_view topic);
  // Sends `messages`, and leaves the vector empty. Returns what the other side has taken since the
  // last call. With `replaced`, drops earlier messages that the other side has not collected, and
  // counts them there.
  [[nodiscard]] room send(end own, std::vector<queue_entry>& messages, room* replaced = nullptr);
  // Like send() without messages. If the other side has taken nothing, this side is notified as
  // soon as it does.
  [[nodiscard]] room wait_for_room(end own);
  // Call when the user has taken received messages.
  void take_room(end own, room taken);
  // Marks this side as notified, before it collects.
  void hear(end own);
  // Moves pending data into `to`. Its messages and subscriptions must be empty. Reuses their
  // memory.
  void collect(end own, mail& to);
  // Call when this side has closed.
  void leave(end own);

private:
  struct side {
    std::shared_ptr<remote_executor> where;
    std::weak_ptr<inproc_link> who;
    mail incoming;
    room taken;  // taken by the other side of this side's messages
    bool called = false;
    bool waits_for_room = false;
  };

  [[nodiscard]] side& of(end e) noexcept { return sides_[static_cast<std::size_t>(e)]; }
  [[nodiscard]] side& other_than(end e) noexcept { return sides_[1 - static_cast<std::size_t>(e)]; }
  // Returns the call to make after the lock is released, or an empty one.
  [[nodiscard]] after_turn::call to_call(side& whom);
  // Makes a call, without the lock. Throws std::bad_alloc, and then a later call is possible.
  void make(after_turn::call&& next, side& whom);

  std::mutex mutex_;
  std::array<side, 2> sides_;
  bool near_ = false;  // both sides have the same executor
};

}  // namespace zmtp
