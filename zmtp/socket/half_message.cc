#include "zmtp/socket/half_message.h"

#include "zmtp/socket/process_memory.h"
#include "zmtp/socket/socket_core.h"
#include "zmtp/socket/wire_link.h"

#include <mutex>
#include <utility>

namespace zmtp {

struct half_message::account {
  std::mutex mutex;
  half_message_ledger ledger{memory_shares::of_process().half_messages};

  // Never destroyed, because sockets with static lifetime may close after static objects are
  // destroyed.
  [[nodiscard]] static account& of_process() {
    static auto& own = *new account;
    return own;
  }
};

half_message::half_message(const socket_core& core, std::weak_ptr<wire_link> owner)
    : own_{.core = &core,
           .where = std::make_shared<remote_executor>(core.executor()),
           .who = std::move(owner)} {}

half_message::~half_message() {
  own_.where->close();
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  process.ledger.release(*this);
}

bool half_message::hold(std::size_t octets) {
  auto& process = account::of_process();
  for (;;) {
    address condemned;
    {
      const std::lock_guard lock{process.mutex};
      if (octets == 0) {
        process.ledger.release(*this);
        break;
      }
      const auto* const goes = process.ledger.hold(*this, octets);
      if (goes == nullptr) {
        break;
      }
      if (goes == this) {
        return false;
      }
      condemned = static_cast<const half_message*>(goes)->own_;
    }
    tell(condemned);
  }
  held_ = octets;
  return true;
}

void half_message::tell(const address& condemned) const {
  if (condemned.core == own_.core) {
    if (const auto link = condemned.who.lock()) {
      link->give_way();
    }
    return;
  }
  condemned.where->post([who = condemned.who] {
    if (const auto link = who.lock()) {
      link->give_way();
    }
  });
}

bool half_message::condemned() const {
  const std::lock_guard lock{account::of_process().mutex};
  return entry::condemned();
}

std::size_t half_message::budget() {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  return process.ledger.budget();
}

void half_message::set_budget(std::size_t octets) {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  process.ledger.set_budget(octets);
}

std::size_t half_message::used() {
  auto& process = account::of_process();
  const std::lock_guard lock{process.mutex};
  return process.ledger.used();
}

}  // namespace zmtp
