#pragma once
// Interface of the store of a server's history. Pure.

#include "chp/history.h"
#include "chp/state_write.h"
#include "zmtp/duration_histogram.h"
#include "zmtp/storage/error.h"

#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>

namespace chp {

// The content of a store. A replica begins with `past` and `numbers`.
struct loaded_state {
  std::unique_ptr<history> past;
  state_numbers numbers;
};

// Stores the history of a server.
//
// Thread safety: not safe. Call it only in the executor of its results.
class log_store {
public:
  using load_handler = std::function<void(boost::system::error_code, loaded_state)>;
  using write_handler = std::function<void(boost::system::error_code)>;

  virtual ~log_store() = default;

  // Loads the store into an empty history, and hands it back. A new store leaves it empty. Keys with
  // a time to live count it from `now`. Must be the first call, and made once. The handler runs in
  // the executor of the store. After an error, there is no history.
  // Errors: not_a_store, store_version, store_in_use, store_damaged, store_full, store_failed.
  virtual void load(std::unique_ptr<history> into, history::time_point now,
                    load_handler on_loaded) = 0;
  // Carries out writes in order, each transaction completely or not at all. Writes that are submitted
  // during a write are synced together. When the handler is called without an error, the write is on
  // the disk. A write with `more` is only taken then, and is on the disk with the last one of its
  // transaction. Handlers are called in order, never inside this call.
  // Errors:
  // - store_full: the store also rejects all later writes, because it must not have gaps, until one
  //   with `replaces` fits.
  // - store_failed: all later writes fail as well.
  virtual void write(state_write&& change, write_handler on_written) = 0;
  // Returns the times of the writes with their sync. A store without a disk counts none.
  [[nodiscard]] virtual zmtp::duration_histogram sync_times() const { return {}; }
};

}  // namespace chp
