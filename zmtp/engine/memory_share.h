#pragma once
// The memory of one socket and of one connection, as they report it to the ledgers of the process.

#include "zmtp/buffer/memory_account.h"
#include "zmtp/buffer/memory_ledger.h"
#include "zmtp/engine/shared_ledgers.h"
#include "zmtp/runtime/executor.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace zmtp {

class socket_core;
class stream_link;

// The memory of the queues of one socket. Belongs to its socket, which reports the memory of its
// queues at the end of a turn. The lock of the ledger is taken only after a large enough change.
class memory_share {
public:
  explicit memory_share(const asio::any_io_executor& executor);
  memory_share(const memory_share&) = delete;
  memory_share& operator=(const memory_share&) = delete;
  // After this, no other thread calls the owner. The last report remains. If sockets shared a
  // block, one may have reported its arrival and another its removal.
  ~memory_share();

  // The socket whose socket_core::on_memory() is called. Must be called first.
  void belongs_to(std::weak_ptr<socket_core> owner) noexcept { me_.who = std::move(owner); }
  // After this, no other thread calls the owner. Call when the socket closes or its context is
  // destroyed.
  void close() noexcept { me_.where->close(); }

  // Returns whether the socket must call tell(), to report its use or to get a new quota.
  [[nodiscard]] bool due(std::ptrdiff_t bytes) const noexcept {
    const auto more = bytes - notified_;
    return more >= unheard_ || -more >= unheard_ || (bytes == 0 && more != 0) ||
           ledger_->quota() != quota_;
  }
  // Reports the bytes in the queues. Returns the quota of each queue.
  [[nodiscard]] std::size_t tell(std::ptrdiff_t bytes);

private:
  std::shared_ptr<shared_queue_ledger> ledger_;
  shared_queue_ledger::member me_;
  std::ptrdiff_t notified_ = 0;
  std::ptrdiff_t unheard_;                         // smaller changes need no report
  std::size_t quota_ = memory_account::unlimited;  // the quota at the last report
};

// The memory that one connection holds for a partial message. Belongs to its link. The lock of the
// ledger is taken once per block of such a message, and once at its end.
class partial_message final : private partial_message_ledger::entry {
public:
  partial_message(const socket_core& core, std::weak_ptr<stream_link> owner);
  partial_message(const partial_message&) = delete;
  partial_message& operator=(const partial_message&) = delete;
  // After this, no other thread calls the owner.
  ~partial_message();

  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  // Requests this many bytes in total. If another connection is evicted for it, closes that one:
  // immediately if it belongs to the same socket, otherwise in its executor. Returns false if the
  // owner itself is evicted. The owner then keeps its memory until it closes.
  [[nodiscard]] bool hold(std::size_t bytes);
  // Returns whether this connection is evicted, and its message has not become complete since.
  [[nodiscard]] bool evicted() const;

private:
  // How to call the owner.
  struct address {
    const socket_core* core = nullptr;
    std::shared_ptr<remote_executor> where;
    std::weak_ptr<stream_link> who;  // locked only in `where`
  };
  void tell(const address& evicted) const;

  std::shared_ptr<shared_partial_ledger> ledger_;
  address own_;
  std::size_t held_ = 0;  // the owner's copy, for use without the lock
};

}  // namespace zmtp
