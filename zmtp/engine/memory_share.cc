#include "zmtp/engine/memory_share.h"

#include "zmtp/engine/context_service.h"
#include "zmtp/engine/process_resources.h"
#include "zmtp/engine/socket_core.h"
#include "zmtp/engine/stream_link.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace zmtp {

memory_share::memory_share(const asio::any_io_executor& executor) {
  const auto& process = context_service::of(executor).process();
  ledger_ = {process, &process->queued};
  me_.where = std::make_shared<remote_executor>(executor);
  unheard_ = static_cast<std::ptrdiff_t>(ledger_->unheard());
}

memory_share::~memory_share() {
  close();
  ledger_->leave(me_);
}

std::size_t memory_share::tell(std::ptrdiff_t bytes) {
  const auto now = ledger_->change(me_, bytes - std::exchange(notified_, bytes), bytes != 0);
  quota_ = now.quota;
  unheard_ = static_cast<std::ptrdiff_t>(std::min(now.unheard, quota_ / 8));
  return quota_;
}

partial_message::partial_message(const socket_core& core, std::weak_ptr<stream_link> owner)
    : own_{.core = &core,
           .where = std::make_shared<remote_executor>(core.executor()),
           .who = std::move(owner)} {
  const auto& process = context_service::of(core.executor()).process();
  ledger_ = {process, &process->partial_messages};
}

partial_message::~partial_message() {
  own_.where->close();
  const std::lock_guard lock{ledger_->mutex};
  ledger_->ledger.release(*this);
}

bool partial_message::hold(std::size_t bytes) {
  for (;;) {
    address evicted;
    {
      const std::lock_guard lock{ledger_->mutex};
      if (bytes == 0) {
        ledger_->ledger.release(*this);
        break;
      }
      const auto* const goes = ledger_->ledger.hold(*this, bytes);
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
  const std::lock_guard lock{ledger_->mutex};
  return entry::evicted();
}

}  // namespace zmtp
