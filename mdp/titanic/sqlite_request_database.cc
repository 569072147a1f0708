#include "mdp/titanic/sqlite_request_database.h"

#include "zmtp/runtime/runtime.h"
#include "zmtp/storage/batch_thread.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace mdp::titanic {

namespace asio = boost::asio;

class sqlite_request_database::thread {
public:
  thread(asio::any_io_executor executor, sqlite_options options)
      : executor_{executor},
        file_{std::move(options), zmtp::runtime::of(executor)},
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

private:
  void carry_out(const std::vector<store_operation>& batch) {
    std::vector<store_result> results;
    file_.carry_out(batch, results);
    asio::post(executor_,
               [to = on_results_, done = std::move(results)]() mutable { (*to)(std::move(done)); });
    file_.tidy();
  }

  asio::any_io_executor executor_;
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

}  // namespace mdp::titanic
