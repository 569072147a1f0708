#pragma once
// What two sockets of one process have between them: a mailbox in each direction.

#include "zmtp/buffer/send_queue.h"
#include "zmtp/buffer/subscription_changes.h"
#include "zmtp/routing/peer_info.h"
#include "zmtp/socket/remote_executor.h"
#include "zmtp/socket/turn_tail.h"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace zmtp {

class inproc_link;

// What was sent goes from queue to queue as it lies there: nothing is copied, encoded or decoded. The
// lock is taken once for each batch.
//
// Thread safety: safe; each side calls with its own `end`.
class inproc_channel : public std::enable_shared_from_this<inproc_channel> {
public:
  enum class end : std::size_t { connecting, binding };

  // What the other side can queue again.
  struct room {
    std::size_t messages = 0;
    std::size_t octets = 0;
  };
  // What the other side has said and sent since the last time.
  struct mail {
    std::optional<peer_info> hello;  // may be sent to from now on …
    std::vector<message> greetings;  // … and has said so before anything else
    subscription_changes subscriptions;
    std::vector<send_queue::entry> messages;
    bool over = false;  // it has gone; nothing comes after `messages`
  };

  // `who` is told of mail in `executor`, by inproc_link::on_mail(); `where` is a way to it.
  void join(end own, const asio::any_io_executor& executor, std::shared_ptr<remote_executor> where,
            std::weak_ptr<inproc_link> who);
  // Both sides are in one executor.
  [[nodiscard]] bool near();
  void say_hello(end own, peer_info who, std::vector<message> greetings);
  void tell(end own, bool subscribe, std::string_view topic);
  // Sends `messages`, which are empty then. Returns what the other side has taken since the last time. With `replaced`,
  // messages that were sent before and that the other side has not collected are dropped, and counted there.
  [[nodiscard]] room send(end own, std::vector<send_queue::entry>& messages,
                          room* replaced = nullptr);
  // The same without sending. If it has taken nothing, this side is told as soon as it does.
  [[nodiscard]] room wait_for_room(end own);
  // So much of what came was taken.
  void take_room(end own, room taken);
  // This side has been told, and does not collect yet.
  void hear(end own);
  // Fills `to`, whose messages and subscriptions must be empty; what room they have is used again.
  void collect(end own, mail& to);
  // This side has gone.
  void leave(end own);

private:
  struct side {
    std::shared_ptr<remote_executor> where;
    std::weak_ptr<inproc_link> who;
    mail incoming;
    room taken;  // by the other side, of what this one sent
    bool called = false;
    bool waits_for_room = false;
  };

  [[nodiscard]] side& of(end e) noexcept { return sides_[static_cast<std::size_t>(e)]; }
  [[nodiscard]] side& other_than(end e) noexcept { return sides_[1 - static_cast<std::size_t>(e)]; }
  // To be made once the lock is released; nobody, if there is none to be made.
  [[nodiscard]] turn_tail::call to_call(side& whom);
  // Makes a call without the lock. Throws std::bad_alloc, and then the side can be called again.
  void make(turn_tail::call&& next, side& whom);

  std::mutex mutex_;
  std::array<side, 2> sides_;
  bool near_ = false;  // both sides are in one executor
};

}  // namespace zmtp
