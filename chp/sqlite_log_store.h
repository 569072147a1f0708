#pragma once
// The durable log_store: SQLite with a write-ahead log and a full sync for each commit, in a thread
// of its own. Writes that are submitted during a commit are committed together.

#include "chp/log_file.h"
#include "chp/log_store.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace chp {

class sqlite_log_store final : public log_store {
public:
  // Must be destroyed before the context of `executor`.
  sqlite_log_store(boost::asio::any_io_executor executor, zmtp::sqlite_file_options options);
  // Completes the submitted writes.
  ~sqlite_log_store() override;

  // The history is filled in the thread of the store, so a large one does not block the executor.
  void load(std::unique_ptr<history> into, history::time_point now,
            load_handler on_loaded) override;
  void write(state_write&& change, write_handler on_written) override;
  [[nodiscard]] zmtp::duration_histogram sync_times() const override;

private:
  class thread;
  std::unique_ptr<thread> thread_;
};

}  // namespace chp
