#include "chp/sqlite_map_database.h"

#include "zmtp/storage/batch_thread.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace chp {

namespace asio = boost::asio;
using boost::system::error_code;

class sqlite_map_database::thread {
public:
  thread(asio::any_io_executor executor, map_file_options options)
      : executor_{executor},
        file_{std::move(options)},
        runner_{std::move(executor), [this](std::vector<write_order>& batch) { write(batch); }} {}

  void load(load_handler on_loaded) {
    runner_.do_first([this, on_loaded = std::move(on_loaded)]() mutable {
      stored_map found;
      const auto ec = file_.open(found);
      asio::post(executor_,
                 [on_loaded = std::move(on_loaded), ec, found = std::move(found)]() mutable {
                   on_loaded(ec, std::move(found));
                 });
    });
  }

  void give(std::vector<map_change>&& changes, write_handler on_written) {
    std::vector<write_order> one;
    one.push_back({std::move(changes), std::move(on_written)});
    runner_.give(std::move(one));
  }

private:
  struct write_order {
    std::vector<map_change> changes;
    write_handler on_written;
  };

  void write(std::vector<write_order>& batch) {
    std::vector<std::vector<map_change>> all;
    std::vector<write_handler> handlers;
    for (auto& one : batch) {
      all.push_back(std::move(one.changes));
      handlers.push_back(std::move(one.on_written));
    }
    std::vector<error_code> results;
    file_.write(all, results);
    asio::post(executor_, [handlers = std::move(handlers), results = std::move(results)] {
      for (std::size_t i = 0; i < handlers.size(); ++i) {
        handlers[i](results[i]);
      }
    });
    file_.tidy();
  }

  asio::any_io_executor executor_;
  map_file file_;
  zmtp::batch_thread<write_order> runner_;  // after all that it uses
};

sqlite_map_database::sqlite_map_database(asio::any_io_executor executor, map_file_options options)
    : thread_{std::make_unique<thread>(std::move(executor), std::move(options))} {}

sqlite_map_database::~sqlite_map_database() = default;

void sqlite_map_database::load(load_handler on_loaded) { thread_->load(std::move(on_loaded)); }

void sqlite_map_database::write(std::vector<map_change>&& changes, write_handler on_written) {
  thread_->give(std::move(changes), std::move(on_written));
}

}  // namespace chp
