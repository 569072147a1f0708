#include "tools/zinc/input_reader.h"

#include "zmtp/runtime/completion.h"

#include <boost/asio/error.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

namespace zinc {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_at_once = 64 * 1024;

zmtp::error_code read_some(int descriptor, std::string& to) {
  to.resize(most_at_once);
  ssize_t count = 0;
  do {
    count = ::read(descriptor, to.data(), to.size());
  } while (count < 0 && errno == EINTR);
  const auto fault = count < 0 ? errno : 0;
  to.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return {fault, boost::system::system_category()};
}

}  // namespace

// The state that the reader and its thread share. Handlers must be moved and destroyed in the executor of the
// reader.
struct input_reader::desk {
  desk(asio::any_io_executor on, int d) : executor{std::move(on)}, descriptor{d} {}

  const asio::any_io_executor executor;
  const int descriptor;
  std::mutex lock;
  std::condition_variable changed;
  bool wanted = false;
  bool over = false;
  // In the executor only.
  std::unique_ptr<handler> waiting;
  asio::any_io_executor work;
};

input_reader::input_reader(asio::any_io_executor executor, int descriptor)
    : desk_{std::make_shared<desk>(std::move(executor), descriptor)} {
  std::thread{[own = desk_] { read(own); }}.detach();
}

input_reader::~input_reader() {
  {
    const std::lock_guard alone{desk_->lock};
    desk_->over = true;
  }
  desk_->changed.notify_one();
  desk_->waiting.reset();
  desk_->work = {};
}

void input_reader::read(const std::shared_ptr<desk>& of) {
  for (;;) {
    std::unique_lock lock{of->lock};
    of->changed.wait(lock, [&] { return of->wanted || of->over; });
    if (of->over) {
      return;
    }
    of->wanted = false;
    lock.unlock();
    std::string bytes;
    const auto ec = read_some(of->descriptor, bytes);
    lock.lock();
    // The context lives at least until the reader has set this.
    if (of->over) {
      return;
    }
    asio::post(of->executor, [weak = std::weak_ptr{of}, ec, bytes = std::move(bytes)]() mutable {
      if (const auto own = weak.lock(); own && own->waiting) {
        const auto h = std::move(own->waiting);
        own->work = {};
        zmtp::complete_now(own->executor, std::move(*h), ec, std::move(bytes));
      }
    });
  }
}

void input_reader::start(handler h) {
  bool over = false;
  {
    const std::lock_guard alone{desk_->lock};
    over = desk_->over;
    desk_->wanted = true;
  }
  if (over) {
    zmtp::complete_later(desk_->executor, std::move(h), asio::error::operation_aborted,
                         std::string{});
    return;
  }
  desk_->waiting = std::make_unique<handler>(std::move(h));
  desk_->work = asio::prefer(desk_->executor, asio::execution::outstanding_work.tracked);
  desk_->changed.notify_one();
}

void input_reader::cancel() {
  {
    const std::lock_guard alone{desk_->lock};
    desk_->over = true;
  }
  desk_->changed.notify_one();
  if (const auto h = std::move(desk_->waiting)) {
    desk_->work = {};
    zmtp::complete_later(desk_->executor, std::move(*h), asio::error::operation_aborted,
                         std::string{});
  }
}

}  // namespace zinc
