#pragma once
// What one connection holds of a message that has not come whole, in the ledger of the process.

#include "zmtp/buffer/half_message_ledger.h"
#include "zmtp/socket/remote_executor.h"

#include <cstddef>
#include <memory>

namespace zmtp {

class socket_core;
class wire_link;

// Belongs to its link. The ledger has a lock, for connections of several threads; it is taken once for
// each block of such a message and once for its end, and nothing is called under it.
class half_message final : private half_message_ledger::entry {
public:
  half_message(const socket_core& core, std::weak_ptr<wire_link> owner);
  half_message(const half_message&) = delete;
  half_message& operator=(const half_message&) = delete;
  // From now on nobody calls the owner.
  ~half_message();

  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  // So much from now on. Who has to go for it is closed: at once if it is of the same socket, or else in
  // its executor. False if it is the owner, which holds what it held until it goes.
  [[nodiscard]] bool hold(std::size_t octets);
  // It has to go for another one, and its message has not come whole meanwhile.
  [[nodiscard]] bool condemned() const;

  [[nodiscard]] static std::size_t budget();
  static void set_budget(std::size_t octets);
  [[nodiscard]] static std::size_t used();

private:
  struct account;

  // How the owner is told.
  struct address {
    const socket_core* core = nullptr;
    std::shared_ptr<remote_executor> where;
    std::weak_ptr<wire_link> who;  // locked in `where`
  };
  void tell(const address& condemned) const;

  address own_;
  std::size_t held_ = 0;  // as the owner knows it: without the lock
};

}  // namespace zmtp
