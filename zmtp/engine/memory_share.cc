#include "zmtp/engine/memory_share.h"

#include "zmtp/engine/memory_limit.h"
#include "zmtp/engine/socket_core.h"
#include "zmtp/engine/stream_link.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <pthread.h>
#include <utility>

namespace zmtp {

struct memory_share::account {
  using shares = boost::intrusive::list<memory_share, boost::intrusive::constant_time_size<false>>;

  std::mutex mutex;
  queue_ledger ledger{memory_limits::of_process().queued};
  shares listed;   // sockets that hold memory or have a quota
  shares to_call;  // … and must learn their new quota

  // Never destroyed, because sockets may close during the destruction of static objects.
  [[nodiscard]] static account& of_process() {
    static account& own = *new account;
    return own;
  }

  // The child of a fork has only the sockets of the forking thread. fork() runs with the lock held,
  // so that the child gets it in a consistent state.
  account() {
    ::pthread_atfork([] { of_process().mutex.lock(); }, [] { of_process().mutex.unlock(); },
                     [] {
                       of_process().listed.clear();
                       of_process().to_call.clear();
                       of_process().mutex.unlock();
                     });
  }

  // Call under the lock, after a change of the ledger.
  void look() {
    const auto now = ledger.quota();
    const auto before = now_.load(std::memory_order_relaxed);
    if (now == before) {
      return;
    }
    now_.store(now, std::memory_order_relaxed);
    // A socket with a quota learns a smaller one in its next turn. A socket without a quota may
    // hold less than it reported, because its inproc peers have taken messages without its
    // knowledge.
    if (now > before || (now < before && before == memory_account::unlimited)) {
      to_call.splice(to_call.end(), listed);
    }
  }

  // Call without the lock.
  void call() {
    for (;;) {
      std::shared_ptr<remote_executor> where;
      std::weak_ptr<socket_core> who;
      {
        const std::lock_guard lock{mutex};
        if (to_call.empty()) {
          return;
        }
        where = to_call.front().where_;
        who = to_call.front().who_;
        to_call.pop_front();
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
};

memory_share::memory_share(const asio::any_io_executor& executor)
    : where_{std::make_shared<remote_executor>(executor)} {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  unheard_ = static_cast<std::ptrdiff_t>(process.ledger.unheard());
}

memory_share::~memory_share() {
  close();
  const std::lock_guard lock{account::of_process().mutex};
  if (is_linked()) {
    unlink();
  }
}

std::size_t memory_share::tell(std::ptrdiff_t bytes) {
  auto& process = account::of_process();
  {
    const std::lock_guard lock{process.mutex};
    if (is_linked()) {
      unlink();
    }
    process.ledger.change(bytes - std::exchange(notified_, bytes));
    process.look();
    quota_ = process.ledger.quota();
    unheard_ = static_cast<std::ptrdiff_t>(std::min(process.ledger.unheard(), quota_ / 8));
    if (notified_ != 0 || quota_ != memory_account::unlimited) {
      process.listed.push_back(*this);
    }
  }
  process.call();
  return quota_;
}

std::size_t memory_share::budget() {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  return process.ledger.budget();
}

void memory_share::set_budget(std::size_t bytes) {
  auto& process = account::of_process();
  {
    const std::lock_guard lock{process.mutex};
    process.ledger.set_budget(bytes);
    process.look();
  }
  process.call();
}

std::size_t memory_share::used() {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  return process.ledger.used();
}

std::uint64_t memory_share::times_scarce() {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  return process.ledger.times_scarce();
}

struct partial_message::account {
  std::mutex mutex;
  partial_message_ledger ledger{memory_limits::of_process().partial_messages};

  // Never destroyed, because sockets with static lifetime may close after static objects are
  // destroyed.
  [[nodiscard]] static account& of_process() {
    static auto& own = *new account;
    return own;
  }
};

partial_message::partial_message(const socket_core& core, std::weak_ptr<stream_link> owner)
    : own_{.core = &core,
           .where = std::make_shared<remote_executor>(core.executor()),
           .who = std::move(owner)} {}

partial_message::~partial_message() {
  own_.where->close();
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  process.ledger.release(*this);
}

bool partial_message::hold(std::size_t bytes) {
  auto& process = account::of_process();
  for (;;) {
    address evicted;
    {
      const std::lock_guard lock{process.mutex};
      if (bytes == 0) {
        process.ledger.release(*this);
        break;
      }
      const auto* const goes = process.ledger.hold(*this, bytes);
      if (goes == nullptr) {
        break;
      }
      if (goes == this) {
        return false;
      }
      evicted = static_cast<const partial_message*>(goes)->own_;
    }
    tell(evicted);
  }
  held_ = bytes;
  return true;
}

void partial_message::tell(const address& evicted) const {
  if (evicted.core == own_.core) {
    if (const auto link = evicted.who.lock()) {
      link->evict();
    }
    return;
  }
  evicted.where->post([who = evicted.who] {
    if (const auto link = who.lock()) {
      link->evict();
    }
  });
}

bool partial_message::evicted() const {
  const std::lock_guard lock{account::of_process().mutex};
  return entry::evicted();
}

std::size_t partial_message::budget() {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  return process.ledger.budget();
}

void partial_message::set_budget(std::size_t bytes) {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  process.ledger.set_budget(bytes);
}

std::size_t partial_message::used() {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  return process.ledger.used();
}

}  // namespace zmtp
