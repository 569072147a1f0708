#pragma once
// One attempt to connect to an endpoint, for any transport.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/transport/stream.h"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace zmtp::transport {

// Resolves the host name and tries all its addresses in turn, IPv4 first. Numeric addresses and
// "localhost" do not need a resolver. Asio's resolver, which has a thread, resolves other names.
class connector : public std::enable_shared_from_this<connector> {
public:
  using handler = asio::any_completion_handler<void(error_code, stream)>;

  connector(const asio::any_io_executor& executor, const transport_options& options);
  // `to` must be connectable, and not inproc. Completes with the stream, or with the error of the
  // last address, or with timed_out. Never calls the handler inside this function.
  void start(const endpoint& to, std::chrono::milliseconds time_limit, handler on_done);
  // Completes the attempt with operation_aborted.
  void cancel();

private:
  void resolve();
  void on_resolved(const asio::ip::tcp::resolver::results_type& found);
  void try_next_or_finish();
  void try_next();
  void on_tried(error_code ec);
  void on_tried_soon(error_code ec);
  [[nodiscard]] error_code prepare(const asio::ip::tcp::endpoint& to);
  [[nodiscard]] error_code bind_to_source(const host_port& source, const asio::ip::tcp& family);
  [[nodiscard]] bool connected_to_itself() const;
  void stop(error_code reason);
  void finish(error_code ec);

  transport_options options_;
  timer timer_;
  asio::ip::tcp::resolver resolver_;
  stream socket_;
  endpoint to_;
  std::vector<asio::ip::tcp::endpoint> addresses_;
  std::size_t next_ = 0;
  error_code stopped_;  // why no further address may be tried
  handler on_done_;
};

}  // namespace zmtp::transport
