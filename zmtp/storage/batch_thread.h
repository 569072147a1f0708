#pragma once
// A thread for blocking work. Items that arrive while the thread works form its next batch.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>

#include <condition_variable>
#include <functional>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace zmtp {

// Thread safety: only one thread at a time may call the members.
template <class Item>
class batch_thread {
public:
  // `work` runs in the thread. Between a call of give() or do_first() and the end of that work, the
  // context of `executor` does not run out of work. The context must outlive this object.
  batch_thread(boost::asio::any_io_executor executor, std::function<void(std::vector<Item>&)> work)
      : executor_{std::move(executor)}, work_{std::move(work)}, runner_{[this] { run(); }} {}
  batch_thread(const batch_thread&) = delete;
  batch_thread& operator=(const batch_thread&) = delete;
  // Waits until all work is done.
  ~batch_thread() {
    {
      const std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    woken_.notify_one();
    runner_.join();
  }

  // Runs `what` in the thread before any batch. Call at most once, before give().
  void do_first(std::function<void()> what) {
    {
      const std::lock_guard lock{mutex_};
      first_ = std::move(what);
      expect_result();
    }
    woken_.notify_one();
  }
  void give(std::vector<Item>&& batch) {
    {
      const std::lock_guard lock{mutex_};
      to_do_.insert(to_do_.end(), std::make_move_iterator(batch.begin()),
                    std::make_move_iterator(batch.end()));
      expect_result();
    }
    woken_.notify_one();
  }

private:
  void expect_result() {
    if (!pending_) {
      pending_ = boost::asio::prefer(executor_, boost::asio::execution::outstanding_work.tracked);
    }
  }

  void run() {
    std::vector<Item> batch;
    std::unique_lock lock{mutex_};
    while (true) {
      woken_.wait(lock, [this] { return stopping_ || first_ || !to_do_.empty(); });
      if (!first_ && to_do_.empty()) {
        return;
      }
      const auto first = std::exchange(first_, nullptr);
      batch.clear();
      batch.swap(to_do_);
      const auto pending = std::exchange(pending_, {});
      lock.unlock();
      if (first) {
        first();
      }
      if (!batch.empty()) {
        work_(batch);
      }
      lock.lock();
    }
  }

  boost::asio::any_io_executor executor_;
  std::function<void(std::vector<Item>&)> work_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::function<void()> first_;
  std::vector<Item> to_do_;
  boost::asio::any_io_executor pending_;
  bool stopping_ = false;
  std::thread runner_;  // last, because it uses the other members
};

}  // namespace zmtp
