#include "mdp/titanic/sqlite_request_database.h"

#include "zmtp/runtime/runtime.h"
#include "zmtp/storage/batch_thread.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace mdp::titanic {

namespace asio = boost::asio;

class sqlite_request_database::thread {
public:
  thread(asio::any_io_executor executor, sqlite_options options)
      : executor_{executor},
        runtime_{zmtp::runtime::of(executor)},
        file_{std::move(options), runtime_},
        runner_{std::move(executor),
                [this](std::vector<store_operation>& batch) { carry_out(batch); }} {}

  void open(load_handler on_loaded, result_handler on_results) {
    on_results_ = std::make_shared<result_handler>(std::move(on_results));
    runner_.do_first([this, on_loaded = std::move(on_loaded)]() mutable {
      std::vector<stored_request> slots;
      const auto ec = file_.open(slots);
      asio::post(executor_,
                 [on_loaded = std::move(on_loaded), ec, slots = std::move(slots)]() mutable {
                   on_loaded(ec, std::move(slots));
                 });
    });
  }

  void submit(std::vector<store_operation>&& batch) { runner_.give(std::move(batch)); }

  [[nodiscard]] zmtp::duration_histogram sync_times() const { return *sync_times_; }

private:
  static bool reads(const store_operation& one) noexcept {
    return one.what == operation::read_request || one.what == operation::read_reply;
  }

  void carry_out(const std::vector<store_operation>& batch) {
    std::vector<store_result> results;
    const auto begun = runtime_.now();
    file_.carry_out(batch, results);
    const auto taken = runtime_.now() - begun;
    const bool writes = !std::all_of(batch.begin(), batch.end(), reads);
    asio::post(executor_, [to = on_results_, done = std::move(results), times = sync_times_, taken,
                           writes]() mutable {
      if (writes) {
        times->add(taken);
      }
      (*to)(std::move(done));
    });
    file_.tidy();
  }

  asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  // Only the executor uses the content.
  const std::shared_ptr<zmtp::duration_histogram> sync_times_ =
      std::make_shared<zmtp::duration_histogram>();
  slot_file file_;
  std::shared_ptr<result_handler> on_results_;
  zmtp::batch_thread<store_operation> runner_;  // last, because it uses the other members
};

sqlite_request_database::sqlite_request_database(asio::any_io_executor executor,
                                                 sqlite_options options)
    : thread_{std::make_unique<thread>(std::move(executor), std::move(options))} {}

sqlite_request_database::~sqlite_request_database() = default;

void sqlite_request_database::open(load_handler on_loaded, result_handler on_results) {
  thread_->open(std::move(on_loaded), std::move(on_results));
}

void sqlite_request_database::submit(std::vector<store_operation>&& batch) {
  thread_->submit(std::move(batch));
}

zmtp::duration_histogram sqlite_request_database::sync_times() const {
  return thread_->sync_times();
}

}  // namespace mdp::titanic
