#pragma once
// The durable map_database: SQLite with a write-ahead log and a full sync for each commit, in a thread
// of its own. Writes that are submitted during a commit are committed together.

#include "chp/map_database.h"
#include "chp/map_file.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <vector>

namespace chp {

class sqlite_map_database final : public map_database {
public:
  // Must be destroyed before the context of `executor`.
  sqlite_map_database(boost::asio::any_io_executor executor, map_file_options options);
  // Completes the submitted writes.
  ~sqlite_map_database() override;

  void load(load_handler on_loaded) override;
  void write(std::vector<map_change>&& changes, write_handler on_written) override;

private:
  class thread;
  std::unique_ptr<thread> thread_;
};

}  // namespace chp
