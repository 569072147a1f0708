#include "zmtp/engine/shared_ledgers.h"

#include "zmtp/engine/socket_core.h"

#include <new>
#include <utility>

namespace zmtp {

std::size_t shared_queue_ledger::unheard() const {
  const std::lock_guard lock{mutex_};
  return ledger_.unheard();
}

shared_queue_ledger::terms shared_queue_ledger::change(member& who, std::ptrdiff_t by, bool holds) {
  terms now{};
  {
    const std::lock_guard lock{mutex_};
    if (who.is_linked()) {
      who.unlink();
    }
    ledger_.change(by);
    look();
    now = {.quota = ledger_.quota(), .unheard = ledger_.unheard()};
    if (holds || now.quota != memory_account::unlimited) {
      listed_.push_back(who);
    }
  }
  call();
  return now;
}

void shared_queue_ledger::leave(member& who) noexcept {
  const std::lock_guard lock{mutex_};
  if (who.is_linked()) {
    who.unlink();
  }
}

// Call under the lock, after a change of the ledger.
void shared_queue_ledger::look() {
  const auto now = ledger_.quota();
  const auto before = quota();
  if (now == before) {
    return;
  }
  quota_.store(now, std::memory_order_relaxed);
  // A socket with a quota learns a smaller one in its next turn. A socket without a quota may hold
  // less than it reported, because its inproc peers have taken messages without its knowledge.
  if (now > before || before == memory_account::unlimited) {
    to_call_.splice(to_call_.end(), listed_);
  }
}

// Call without the lock.
void shared_queue_ledger::call() {
  for (;;) {
    std::shared_ptr<remote_executor> where;
    std::weak_ptr<socket_core> who;
    {
      const std::lock_guard lock{mutex_};
      if (to_call_.empty()) {
        return;
      }
      where = to_call_.front().where;
      who = to_call_.front().who;
      to_call_.pop_front();
    }
    try {
      where->post([who = std::move(who)] {
        if (const auto core = who.lock()) {
          core->on_memory();
        }
      });
    } catch (const std::bad_alloc&) {
      // A socket that cannot be called continues with its next turn.
    }
  }
}

std::size_t shared_queue_ledger::budget() const {
  const std::lock_guard lock{mutex_};
  return ledger_.budget();
}

void shared_queue_ledger::set_budget(std::size_t bytes) {
  {
    const std::lock_guard lock{mutex_};
    ledger_.set_budget(bytes);
    look();
  }
  call();
}

std::size_t shared_queue_ledger::used() const {
  const std::lock_guard lock{mutex_};
  return ledger_.used();
}

std::uint64_t shared_queue_ledger::times_scarce() const {
  const std::lock_guard lock{mutex_};
  return ledger_.times_scarce();
}

void shared_queue_ledger::after_fork_in_child() {
  listed_.clear();
  to_call_.clear();
  mutex_.unlock();
}

}  // namespace zmtp
