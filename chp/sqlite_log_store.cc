#include "chp/sqlite_log_store.h"

#include "zmtp/runtime/runtime.h"
#include "zmtp/storage/batch_thread.h"

#include <boost/asio/post.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace chp {

namespace asio = boost::asio;
using boost::system::error_code;

class sqlite_log_store::thread {
public:
  thread(asio::any_io_executor executor, zmtp::sqlite_file_options options)
      : executor_{executor},
        runtime_{zmtp::runtime::of(executor)},
        file_{std::move(options)},
        runner_{std::move(executor), [this](std::vector<order>& batch) { write(batch); }} {}

  void load(std::unique_ptr<history> into, history::time_point now, load_handler on_loaded) {
    auto found = std::make_shared<loaded_state>();
    found->past = std::move(into);
    // The thread keeps no copy of `on_loaded`: the handler may own this store, whose end waits for the
    // thread.
    runner_.do_first(
        [this, found = std::move(found), now, on_loaded = std::move(on_loaded)]() mutable {
          const auto ec = file_.open(*found->past, now, found->numbers);
          if (ec) {
            found->past.reset();
          }
          asio::post(executor_, [on_loaded = std::move(on_loaded), ec, found = std::move(found)] {
            on_loaded(ec, std::move(*found));
          });
        });
  }

  void give(state_write&& change, write_handler on_written) {
    std::vector<order> one;
    one.push_back({std::move(change), std::move(on_written)});
    runner_.give(std::move(one));
  }

  [[nodiscard]] zmtp::duration_histogram sync_times() const { return *sync_times_; }

private:
  struct order {
    state_write change;
    write_handler on_written;
  };

  void write(std::vector<order>& batch) {
    std::vector<state_write> all;
    std::vector<write_handler> handlers;
    all.reserve(batch.size());
    handlers.reserve(batch.size());
    for (auto& one : batch) {
      all.push_back(std::move(one.change));
      handlers.push_back(std::move(one.on_written));
    }
    std::vector<error_code> results;
    const auto begun = runtime_.now();
    file_.write(all, results);
    asio::post(executor_, [to = sync_times_, taken = runtime_.now() - begun] { to->add(taken); });
    // Each commits up to a turn's updates, so other work of the executor comes in between.
    for (std::size_t i = 0; i < handlers.size(); ++i) {
      asio::post(executor_, [handler = std::move(handlers[i]), ec = results[i]] { handler(ec); });
    }
    file_.tidy();
  }

  asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  // Only the executor uses the content.
  const std::shared_ptr<zmtp::duration_histogram> sync_times_ =
      std::make_shared<zmtp::duration_histogram>();
  log_file file_;
  zmtp::batch_thread<order> runner_;  // after all that it uses
};

sqlite_log_store::sqlite_log_store(asio::any_io_executor executor,
                                   zmtp::sqlite_file_options options)
    : thread_{std::make_unique<thread>(std::move(executor), std::move(options))} {}

sqlite_log_store::~sqlite_log_store() = default;

void sqlite_log_store::load(std::unique_ptr<history> into, history::time_point now,
                            load_handler on_loaded) {
  thread_->load(std::move(into), now, std::move(on_loaded));
}

void sqlite_log_store::write(state_write&& change, write_handler on_written) {
  thread_->give(std::move(change), std::move(on_written));
}

zmtp::duration_histogram sqlite_log_store::sync_times() const { return thread_->sync_times(); }

}  // namespace chp
