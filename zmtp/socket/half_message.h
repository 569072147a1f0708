#pragma once
// The memory that one connection holds for a partial message, in the ledger of the process.

#include "zmtp/buffer/half_message_ledger.h"
#include "zmtp/socket/remote_executor.h"

#include <cstddef>
#include <memory>

namespace zmtp {

class socket_core;
class wire_link;

// Belongs to its link. The ledger has a lock, because connections may belong to several threads.
// The lock is taken once per block of such a message, and once at its end. Nothing is called under
// the lock.
class half_message final : private half_message_ledger::entry {
public:
  half_message(const socket_core& core, std::weak_ptr<wire_link> owner);
  half_message(const half_message&) = delete;
  half_message& operator=(const half_message&) = delete;
  // After this, no other thread calls the owner.
  ~half_message();

  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  // Requests this many bytes in total. If another connection is evicted for it, closes that one:
  // immediately if it belongs to the same socket, otherwise in its executor. Returns false if the
  // owner itself is evicted. The owner then keeps its memory until it closes.
  [[nodiscard]] bool hold(std::size_t octets);
  // Returns whether this connection is evicted, and its message has not become complete since.
  [[nodiscard]] bool condemned() const;

  [[nodiscard]] static std::size_t budget();
  static void set_budget(std::size_t octets);
  [[nodiscard]] static std::size_t used();

private:
  struct account;

  // How to call the owner.
  struct address {
    const socket_core* core = nullptr;
    std::shared_ptr<remote_executor> where;
    std::weak_ptr<wire_link> who;  // locked only in `where`
  };
  void tell(const address& condemned) const;

  address own_;
  std::size_t held_ = 0;  // the owner's copy, for use without the lock
};

}  // namespace zmtp
