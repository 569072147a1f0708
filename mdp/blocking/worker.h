#pragma once
// A Majordomo worker for code without an event loop. Heartbeats continue in the context's thread.

#include "mdp/options.h"
#include "mdp/worker.h"
#include "zmtp/blocking/context.h"
#include "zmtp/message.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace mdp::blocking {

// A request that a worker has received; see mdp::worker_request. Must be answered once. The context
// must outlive it.
//
// Thread safety: any thread except the context's own may call it, one at a time.
class request {
public:
  request(request&&) noexcept = default;
  request& operator=(request&&) = delete;
  // Fails the request if it was not answered.
  ~request();

  [[nodiscard]] const zmtp::message& body() const noexcept { return held_->body(); }
  [[nodiscard]] zmtp::message& body() noexcept { return held_->body(); }
  // Errors: those of mdp::worker_request.
  boost::system::error_code reply(zmtp::message answer);
  boost::system::error_code reply_in_part(zmtp::message answer);
  boost::system::error_code refuse();
  boost::system::error_code fail();

private:
  friend class worker;
  request(boost::asio::any_io_executor executor, std::unique_ptr<worker_request> held) noexcept;

  boost::asio::any_io_executor executor_;
  std::unique_ptr<worker_request> held_;
};

// A blocking mdp::worker that runs in the thread of a context. The context must outlive it.
//
// Thread safety: several threads may call one object at once. Each request goes to one of the
// threads in receive(). The context's own thread must not call it, because it would wait for
// itself.
class worker {
public:
  // Throws: see mdp::worker.
  worker(zmtp::blocking::context& in, std::string_view broker, const worker_options& options);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  // Calls stop(). No other call may be in progress.
  ~worker();

  // Waits for a request and returns it. Throws errors as boost::system::system_error.
  // Errors: zmtp::errc::timed_out when the deadline passes; operation_aborted when the worker is
  // stopped or drains.
  [[nodiscard]] request receive(zmtp::deadline until = {});
  // Same, without exceptions. Returns nothing on error.
  [[nodiscard]] std::optional<request> receive(zmtp::deadline until, boost::system::error_code& ec);

  // Takes no more requests, refuses those that no thread has received, and waits until the others
  // are answered and the broker has received the replies. Threads in receive() get
  // operation_aborted immediately.
  // Errors: those of mdp::worker::async_drain.
  [[nodiscard]] boost::system::error_code drain(zmtp::deadline until = {});
  // Disconnects. Calls in progress end with operation_aborted.
  void stop();

private:
  struct inbox;

  boost::asio::any_io_executor executor_;
  std::shared_ptr<inbox> inbox_;
  std::unique_ptr<mdp::worker> worker_;  // used only in the context's thread
};

}  // namespace mdp::blocking
