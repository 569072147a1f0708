#pragma once
// Connects to one endpoint of the operating system, for any transport.

#include "zmtp/runtime/timer.h"
#include "zmtp/transport/network.h"
#include "zmtp/transport/system_stream.h"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace zmtp::transport {

// Resolves the host name and tries all its addresses in turn, IPv4 first. Numeric addresses and
// "localhost" do not need a resolver. Asio's resolver, which has a thread, resolves other names.
class system_connector final : public connector,
                               public std::enable_shared_from_this<system_connector> {
public:
  system_connector(const asio::any_io_executor& executor, const transport_options& options);

  void start(const endpoint& to, std::chrono::milliseconds time_limit, handler on_done) override;
  void cancel() override;

private:
  void resolve();
  void on_resolved(const asio::ip::tcp::resolver::results_type& found);
  void try_next_or_finish();
  void try_next();
  void on_tried(error_code ec);
  void on_tried_soon(error_code ec);
  [[nodiscard]] error_code prepare(const asio::ip::tcp::endpoint& to);
  [[nodiscard]] error_code bind_to_source(const host_port& source, const asio::ip::tcp& family);
  [[nodiscard]] stream_socket& socket() noexcept { return stream_->socket(); }
  [[nodiscard]] bool connected_to_itself();
  void stop(error_code reason);
  void finish(error_code ec);

  transport_options options_;
  timer timer_;
  asio::ip::tcp::resolver resolver_;
  std::unique_ptr<system_stream> stream_;  // null after the end
  endpoint to_;
  std::vector<asio::ip::tcp::endpoint> addresses_;
  std::size_t next_ = 0;
  error_code stopped_;  // why no further address may be tried
  handler on_done_;
};

}  // namespace zmtp::transport
