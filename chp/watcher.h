#pragma once
// What changes in a client's map, as it changes: from client::watch().

#include "chp/client_actions.h"
#include "zmtp/socket/completion_handler.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace chp {

class watch_queue;

// One that is not read keeps all changes up to client_options::watched_changes; beyond, the last one of each
// key. So who reads late still comes to what the map is, and memory is bounded by the map.
//
// Thread safety: as the client's, whose executor it shares.
class watcher {
public:
  explicit watcher(std::shared_ptr<watch_queue> queue) noexcept : queue_{std::move(queue)} {}
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;
  watcher(watcher&&) noexcept = default;
  watcher& operator=(watcher&& other) noexcept;
  // An operation completes with operation_aborted.
  ~watcher();

  // All that has changed since, which replaces what `batch` held. False if nothing has.
  [[nodiscard]] bool try_receive(std::vector<change>& batch);

  // Waits for changes and takes all that are there, in their order. One at a time.
  // Lifetime: the batch is the caller's, and must live until completion; what it held is dropped.
  // Completes with error_code and how many there are.
  // Cancellation: terminal, partial, total; a cancelled receive took none.
  // Errors: operation_aborted, also once the client has stopped and what came before was received.
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
