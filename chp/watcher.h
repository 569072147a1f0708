#pragma once
// The changes of a client's map, from client::watch().

#include "chp/client_actions.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace chp {

class watch_queue;

// Receives the changes of keys. A watcher stores changes up to client_options::watched_changes and
// watched_bytes, and above a limit only the last change of each key. So a slow reader still reaches
// the current map, and the keys that have changed bound the memory.
//
// Lifetime: a watcher may outlive its client. It then returns the stored changes.
// Thread safety: a watcher is part of its client. Use it only in the client's executor.
// Handlers: a completion handler runs in its associated executor, by default in the client's
// executor, and never inside the call that starts or ends its operation.
class watcher {
public:
  explicit watcher(std::shared_ptr<watch_queue> queue) noexcept : queue_{std::move(queue)} {}
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;
  watcher(watcher&&) noexcept = default;
  watcher& operator=(watcher&& other) noexcept;
  // Operations in progress complete with operation_aborted.
  ~watcher();

  // Replaces the content of `batch` with all changes since the last call. Returns false, and leaves
  // `batch` as it is, if there are none.
  [[nodiscard]] bool try_receive(std::vector<change>& batch);

  // Waits for changes and takes all available ones, in order. Only one receive may be in progress.
  //
  // Lifetime: `batch` must live until completion. Its old content is dropped.
  // Completes with: error_code and the number of changes.
  // Errors: operation_aborted: the operation was cancelled, the watcher destroyed, or the client
  // stopped and all stored changes were received.
  // Cancellation: terminal, partial, total. A cancelled receive took no changes.
  template <boost::asio::completion_token_for<void(boost::system::error_code, std::size_t)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_receive(std::vector<change>& batch, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this, &batch](received_handler h) { start_receive(batch, std::move(h)); }, token);
  }

private:
  using received_handler = zmtp::completion_handler<void(boost::system::error_code, std::size_t)>;

  void start_receive(std::vector<change>& batch, received_handler&& handler);

  std::shared_ptr<watch_queue> queue_;
};

}  // namespace chp
