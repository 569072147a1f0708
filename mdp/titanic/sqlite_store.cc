#include "mdp/titanic/sqlite_store.h"

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace mdp::titanic {

namespace asio = boost::asio;
using boost::system::error_code;

class sqlite_store::thread {
public:
  thread(asio::any_io_executor executor, sqlite_options options)
      : executor_{std::move(executor)}, file_{std::move(options)}, runner_{[this] { run(); }} {}

  ~thread() {
    {
      const std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    woken_.notify_one();
    runner_.join();
  }

  void open(load_handler on_loaded, result_handler on_results) {
    on_results_ = std::make_shared<result_handler>(std::move(on_results));
    {
      const std::lock_guard lock{mutex_};
      to_open_ = std::move(on_loaded);
      expect_result();
    }
    woken_.notify_one();
  }

  void submit(std::vector<store_operation>&& batch) {
    {
      const std::lock_guard lock{mutex_};
      to_do_.insert(to_do_.end(), std::make_move_iterator(batch.begin()),
                    std::make_move_iterator(batch.end()));
      expect_result();
    }
    woken_.notify_one();
  }

private:
  // The context shall not run out of work before the result is there.
  void expect_result() {
    if (!work_) {
      work_ = asio::prefer(executor_, asio::execution::outstanding_work.tracked);
    }
  }

  void run() {
    std::vector<store_operation> batch;
    std::vector<store_result> results;
    std::unique_lock lock{mutex_};
    while (true) {
      woken_.wait(lock, [this] { return stopping_ || to_open_ || !to_do_.empty(); });
      if (!to_open_ && to_do_.empty()) {
        return;
      }
      auto opening = std::exchange(to_open_, nullptr);
      batch.clear();
      batch.swap(to_do_);
      const auto work = std::exchange(work_, {});
      lock.unlock();
      if (opening) {
        std::vector<kept_request> slots;
        const auto ec = file_.open(slots);
        asio::post(executor_,
                   [opening = std::move(opening), ec, slots = std::move(slots)]() mutable {
                     opening(ec, std::move(slots));
                   });
      }
      if (!batch.empty()) {
        file_.carry_out(batch, results);
        asio::post(executor_, [to = on_results_, done = std::exchange(results, {})]() mutable {
          (*to)(std::move(done));
        });
        file_.tidy();
      }
      lock.lock();
    }
  }

  asio::any_io_executor executor_;
  slot_file file_;
  std::shared_ptr<result_handler> on_results_;
  std::mutex mutex_;
  std::condition_variable woken_;
  load_handler to_open_;
  std::vector<store_operation> to_do_;
  asio::any_io_executor work_;
  bool stopping_ = false;
  std::thread runner_;
};

sqlite_store::sqlite_store(asio::any_io_executor executor, sqlite_options options)
    : thread_{std::make_unique<thread>(std::move(executor), std::move(options))} {}

sqlite_store::~sqlite_store() = default;

void sqlite_store::open(load_handler on_loaded, result_handler on_results) {
  thread_->open(std::move(on_loaded), std::move(on_results));
}

void sqlite_store::submit(std::vector<store_operation>&& batch) {
  thread_->submit(std::move(batch));
}

}  // namespace mdp::titanic
