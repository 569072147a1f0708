#include "zmtp/engine/inproc_channel.h"

#include <iterator>
#include <new>
#include <utility>

namespace zmtp {

void inproc_channel::join(end own, const asio::any_io_executor& executor,
                          std::shared_ptr<remote_executor> where, std::weak_ptr<inproc_link> who) {
  const std::lock_guard lock{mutex_};
  near_ = other_than(own).where && other_than(own).where->is(executor);
  of(own).where = std::move(where);
  of(own).who = std::move(who);
}

bool inproc_channel::near() {
  const std::lock_guard lock{mutex_};
  return near_;
}

void inproc_channel::say_hello(end own, peer_info who, std::vector<message> greetings) {
  after_turn::call next;
  {
    const std::lock_guard lock{mutex_};
    auto& other = other_than(own);
    other.incoming.hello = std::move(who);
    other.incoming.greetings = std::move(greetings);
    next = to_call(other);
  }
  make(std::move(next), other_than(own));
}

void inproc_channel::tell(end own, bool subscribe, std::string_view topic) {
  after_turn::call next;
  {
    const std::lock_guard lock{mutex_};
    auto& other = other_than(own);
    other.incoming.subscriptions.add(subscribe, topic);
    next = to_call(other);
  }
  make(std::move(next), other_than(own));
}

inproc_channel::room inproc_channel::send(end own, std::vector<queue_entry>& messages,
                                          room* replaced) {
  after_turn::call next;
  room taken;
  {
    const std::lock_guard lock{mutex_};
    taken = std::exchange(of(own).taken, {});
    if (messages.empty()) {
      return taken;
    }
    auto& other = other_than(own);
    if (auto& to = other.incoming.messages; to.empty() || replaced != nullptr) {
      std::swap(to, messages);
    } else {
      to.insert(to.end(), std::make_move_iterator(messages.begin()),
                std::make_move_iterator(messages.end()));
      messages.clear();
    }
    next = to_call(other);
  }
  if (replaced != nullptr) {
    for (const auto& e : messages) {
      replaced->messages += messages_of(e);
      replaced->bytes += size_of(e);
    }
  }
  messages.clear();
  make(std::move(next), other_than(own));
  return taken;
}

inproc_channel::room inproc_channel::wait_for_room(end own) {
  const std::lock_guard lock{mutex_};
  auto& self = of(own);
  self.waits_for_room = self.taken.messages == 0;
  return std::exchange(self.taken, {});
}

void inproc_channel::take_room(end own, room taken) {
  after_turn::call next;
  {
    const std::lock_guard lock{mutex_};
    auto& other = other_than(own);
    other.taken.messages += taken.messages;
    other.taken.bytes += taken.bytes;
    if (std::exchange(other.waits_for_room, false)) {
      next = to_call(other);
    }
  }
  make(std::move(next), other_than(own));
}

void inproc_channel::hear(end own) {
  const std::lock_guard lock{mutex_};
  of(own).called = false;
}

void inproc_channel::collect(end own, mail& to) {
  const std::lock_guard lock{mutex_};
  auto& self = of(own);
  self.called = false;
  to.hello = std::exchange(self.incoming.hello, std::nullopt);
  to.greetings = std::exchange(self.incoming.greetings, {});
  to.over = self.incoming.over;
  to.subscriptions.swap(self.incoming.subscriptions);
  std::swap(to.messages, self.incoming.messages);
}

void inproc_channel::leave(end own) {
  after_turn::call next;
  mail unread;
  {
    const std::lock_guard lock{mutex_};
    of(own).where.reset();
    unread = std::exchange(of(own).incoming, {});
    auto& other = other_than(own);
    other.incoming.over = true;
    next = to_call(other);
  }
  try {
    make(std::move(next), other_than(own));
  } catch (const std::bad_alloc&) {
    // The other side cannot be notified.
  }
}

void inproc_channel::make(after_turn::call&& next, side& whom) {
  try {
    if (next.where && !(next.near && after_turn::add(next))) {
      next.post();
    }
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock{mutex_};
    whom.called = false;
    throw;
  }
}

// Notifies a side once until it collects.
after_turn::call inproc_channel::to_call(side& whom) {
  if (!whom.where || std::exchange(whom.called, true)) {
    return {};
  }
  return {.where = whom.where, .who = whom.who, .near = near_};
}

}  // namespace zmtp
