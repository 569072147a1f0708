#pragma once
// The durable request_database: SQLite with a write-ahead log and a full sync for each commit, in a
// thread of its own. Operations that are submitted during a commit are committed together.

#include "mdp/titanic/request_database.h"
#include "mdp/titanic/slot_file.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <vector>

namespace mdp::titanic {

class sqlite_request_database final : public request_database {
public:
  // Must be destroyed before the context of `executor`.
  sqlite_request_database(boost::asio::any_io_executor executor, sqlite_options options);
  // Writes the submitted operations.
  ~sqlite_request_database() override;

  // Errors: not_a_store, store_version, store_in_use, store_damaged, store_full, store_failed.
  void open(load_handler on_loaded, result_handler on_results) override;
  void submit(std::vector<store_operation>&& batch) override;
  [[nodiscard]] zmtp::duration_histogram sync_times() const override;

private:
  class thread;
  std::unique_ptr<thread> thread_;
};

}  // namespace mdp::titanic
