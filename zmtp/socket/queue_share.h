#pragma once
// What the queues of one socket hold, in the ledger of the process.

#include "zmtp/buffer/cache_line.h"
#include "zmtp/buffer/queue_account.h"
#include "zmtp/buffer/queue_ledger.h"
#include "zmtp/socket/remote_executor.h"

#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace zmtp {

class socket_core;

// Belongs to its socket, which tells it at the end of a turn what its queues hold. The ledger has a lock,
// for sockets of several threads; it is taken only where enough has changed, and nothing is called under
// it. Sockets that hold something are listed, and called in their executors when memory becomes short, and
// when it is less so.
class queue_share final : public boost::intrusive::list_base_hook<
                              boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
  explicit queue_share(const asio::any_io_executor& executor);
  queue_share(const queue_share&) = delete;
  queue_share& operator=(const queue_share&) = delete;
  // Nobody calls the owner. What was told last stays: of a block that the queues of several sockets had,
  // one may have told that it came and another that it went.
  ~queue_share();

  // Who is called, by socket_core::on_memory(). Before anything else.
  void belongs_to(std::weak_ptr<socket_core> owner) noexcept { who_ = std::move(owner); }
  // From now on nobody calls it: it is closed, or its context is going down.
  void close() noexcept { where_->close(); }

  // There is something to tell, or to learn.
  [[nodiscard]] bool due(std::ptrdiff_t octets) const noexcept {
    const auto more = octets - told_;
    return more >= unheard_ || -more >= unheard_ || (octets == 0 && more != 0) ||
           now_.load(std::memory_order_relaxed) != allowance_;
  }
  // The queues hold so much; returns the allowance of each of them.
  [[nodiscard]] std::size_t tell(std::ptrdiff_t octets);

  [[nodiscard]] static std::size_t budget();
  static void set_budget(std::size_t octets);
  [[nodiscard]] static std::size_t used();
  [[nodiscard]] static std::uint64_t times_scarce();

private:
  struct account;

  // The allowance, for a look at each turn without the lock.
  alignas(cache_line) static inline std::atomic<std::size_t> now_{queue_account::unlimited};

  std::shared_ptr<remote_executor> where_;
  std::weak_ptr<socket_core> who_;  // locked in `where_`
  std::ptrdiff_t told_ = 0;
  std::ptrdiff_t unheard_;                            // so much need not be told
  std::size_t allowance_ = queue_account::unlimited;  // when it told last
};

}  // namespace zmtp
