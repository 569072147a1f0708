#pragma once
// Runs a function in the thread of a context and waits for it.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <future>
#include <utility>

namespace zmtp::blocking {

// Returns what `work` returns, and throws what it throws. Must not be called in the context's own
// thread, which would wait for itself.
template <class Work>
auto run_in(const boost::asio::any_io_executor& executor, Work&& work) {
  std::packaged_task<decltype(work())()> task{std::forward<Work>(work)};
  auto done = task.get_future();
  boost::asio::post(executor, [&task] { task(); });
  return done.get();
}

}  // namespace zmtp::blocking
