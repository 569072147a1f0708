#pragma once
// A thread for the blocking work of an authenticator, with a bounded queue.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace zmtp {

// Thread safety: safe.
template <class Item>
class worker_thread {
public:
  // `work` runs in the thread, for one item at a time. If it throws std::bad_alloc, the item is
  // destroyed, and the thread continues.
  worker_thread(std::size_t most_waiting, std::function<void(Item&)> work)
      : most_{most_waiting}, work_{std::move(work)}, runner_{[this] { run(); }} {}
  worker_thread(const worker_thread&) = delete;
  worker_thread& operator=(const worker_thread&) = delete;
  // Waits for the item that the thread works on, and destroys the items that wait.
  ~worker_thread() {
    {
      const std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    woken_.notify_one();
    runner_.join();
  }

  // Returns false, and does not change the item, if the queue is full.
  [[nodiscard]] bool give(Item& item) {
    {
      const std::lock_guard lock{mutex_};
      if (waiting_.size() >= most_) {
        return false;
      }
      waiting_.push_back(std::move(item));
    }
    woken_.notify_one();
    return true;
  }

private:
  void run() {
    std::unique_lock lock{mutex_};
    while (true) {
      woken_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) {
        return;
      }
      work_on_first(lock);
      lock.lock();
    }
  }

  void work_on_first(std::unique_lock<std::mutex>& lock) {
    auto item = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    try {
      work_(item);
    } catch (const std::bad_alloc&) {
      // Destroying the item refuses the peer.
    }
  }

  std::size_t most_;
  std::function<void(Item&)> work_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Item> waiting_;
  bool stopping_ = false;
  std::thread runner_;  // last, because it uses the other members
};

}  // namespace zmtp
