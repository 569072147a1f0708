#pragma once
// A Majordomo worker for code that runs no event loop: it waits for requests and answers them, while
// heartbeats go on in the background.

#include "mdp/options.h"
#include "mdp/worker.h"
#include "zmtp/blocking/context.h"
#include "zmtp/message.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace mdp::blocking {

// A request in hand, as mdp::worker_request: to be answered once, in whatever thread. The context must
// outlive it.
class request {
public:
  request(request&&) noexcept = default;
  request& operator=(request&&) = delete;
  // A request that was not answered has failed.
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

// mdp::worker in the thread of a context, which must outlive it.
//
// Thread safety: calls may come from several threads at once, and each request goes to one of those that
// receive; not from the context's own thread.
class worker {
public:
  // Throws what mdp::worker throws.
  worker(zmtp::blocking::context& in, std::string_view broker, const worker_options& options);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  // Stops. No call may be under way.
  ~worker();

  // Sleeps until there is a request, or throws boost::system::system_error.
  // Errors: errc::timed_out of zmtp when the deadline passes; operation_aborted once stopped.
  [[nodiscard]] request receive(zmtp::deadline until = {});
  // Nothing if it failed.
  [[nodiscard]] std::optional<request> receive(zmtp::deadline until, boost::system::error_code& ec);

  // Takes no more requests, hands those back that no thread has received, and sleeps until the others are
  // answered and the broker has read the replies. Threads that receive get operation_aborted at once.
  // Errors: those of mdp::worker::async_drain; timed_out when the deadline has passed.
  boost::system::error_code drain(zmtp::deadline until = {});
  // Wakes who waits.
  void stop();

private:
  struct inbox;

  boost::asio::any_io_executor executor_;
  std::shared_ptr<inbox> inbox_;
  std::unique_ptr<mdp::worker> worker_;  // belongs to the context's thread
};

}  // namespace mdp::blocking
