#pragma once
// The memory ledgers that all sockets of a process share. Sockets may belong to several threads, so
// the ledgers have locks.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/memory_account.h"
#include "zmtp/buffer/memory_ledger.h"
#include "zmtp/runtime/executor.h"

#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace zmtp {

class socket_core;

// The ledger of queued messages. Sockets that hold memory are listed. They are called in their
// executors when memory becomes short, and when it is available again. Nothing is called under the
// lock. Thread safety: safe.
class shared_queue_ledger {
public:
  // A socket that reports its memory.
  struct member : boost::intrusive::list_base_hook<
                      boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    std::shared_ptr<remote_executor> where;
    std::weak_ptr<socket_core> who;  // socket_core::on_memory() is called; locked only in `where`
  };
  // The values that apply to a socket until its next report.
  struct terms {
    std::size_t quota;    // the quota of each queue
    std::size_t unheard;  // smaller changes need no report
  };

  explicit shared_queue_ledger(std::size_t budget) noexcept : ledger_{budget} {}

  // Returns the current quota without the lock, for a check in each turn.
  [[nodiscard]] std::size_t quota() const noexcept {
    return quota_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t unheard() const;
  // Reports a change of the queued bytes, and whether the socket still holds some.
  [[nodiscard]] terms change(member& who, std::ptrdiff_t by, bool holds);
  // After this, the socket is not called. Its last report remains.
  void leave(member& who) noexcept;

  [[nodiscard]] std::size_t budget() const;
  void set_budget(std::size_t bytes);
  [[nodiscard]] std::size_t used() const;
  [[nodiscard]] std::uint64_t times_scarce() const;

  // Call around a fork, so that the child gets the ledger in a consistent state. The child has only
  // the sockets of the forking thread.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();

private:
  using members = boost::intrusive::list<member, boost::intrusive::constant_time_size<false>>;

  void look();
  void call();

  alignas(cache_line) std::atomic<std::size_t> quota_{memory_account::unlimited};
  alignas(cache_line) mutable std::mutex mutex_;
  queue_ledger ledger_;
  members listed_;   // sockets that hold memory or have a quota
  members to_call_;  // … and must learn their new quota
};

// The ledger of partial messages. Its users take the lock. Nothing is called under it.
struct shared_partial_ledger {
  explicit shared_partial_ledger(std::size_t budget) noexcept : ledger{budget} {}

  // Call around a fork, in the parent and in the child.
  void before_fork() { mutex.lock(); }
  void after_fork() { mutex.unlock(); }

  mutable std::mutex mutex;
  partial_message_ledger ledger;
};

}  // namespace zmtp
