#pragma once
// The network of one simulated process: what its sockets listen, connect, read and write with.

#include "zmtp/simulation/process.h"
#include "zmtp/simulation/simulated_network.h"
#include "zmtp/transport/network.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <vector>

namespace zmtp::simulation {

// One end of a connection.
class simulated_stream final : public transport::stream {
public:
  simulated_stream(boost::asio::any_io_executor executor,
                   std::shared_ptr<virtual_connection> connection, end_of_stream end);
  ~simulated_stream() override { close(); }

  // Names the connection.
  [[nodiscard]] std::uint64_t id() const noexcept { return connection_->id(); }
  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override;
  [[nodiscard]] std::size_t write_some(std::span<const std::span<const std::byte>> pieces,
                                       error_code& ec) noexcept override;
  void wait(transport::stream_side side, std::shared_ptr<transport::stream_user> user) override;
  void shutdown_send() noexcept override;
  void shutdown() noexcept override;
  void close() noexcept override;
  [[nodiscard]] transport::acknowledgement acknowledged() const noexcept override;
  [[nodiscard]] std::size_t unacknowledged() const noexcept override;
  [[nodiscard]] bool reset() noexcept override;
  [[nodiscard]] transport::remote_end remote() const override;

private:
  using users = std::array<std::shared_ptr<transport::stream_user>, 2>;

  void on_ready(transport::stream_side side, error_code ec);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<virtual_connection> connection_;
  end_of_stream end_;
  users waiting_;
  bool stopped_ = false;  // shutdown() was called: reads end
  bool closed_ = false;
  bool reset_reported_ = false;
};

class simulated_connector;

// tcp:// and ipc:// between the processes of a simulation, and below ws://, wss:// and tls+tcp://. A tcp
// address has the name of a host, or means this host: *, localhost, 127.0.0.1. The names of ipc belong
// to the host.
class process_network final : public transport::network {
public:
  // `wrap` may be empty.
  process_network(simulated_network& net, simulated_host& host, std::string host_name,
                  process::wrapper wrap);

  [[nodiscard]] std::unique_ptr<transport::acceptor> make_acceptor(
      const boost::asio::any_io_executor& executor, const transport_options& options) override;
  [[nodiscard]] std::shared_ptr<transport::connector> make_connector(
      const boost::asio::any_io_executor& executor, const transport_options& options) override;
  [[nodiscard]] std::unique_ptr<transport::stream> wrapped(
      std::unique_ptr<transport::stream> whole, const transport::stream& carrier) override;

  // Call before the process's context is destroyed. Destroys the handlers of pending attempts.
  void abandon() noexcept;

  [[nodiscard]] simulated_network& net() noexcept { return net_; }
  [[nodiscard]] simulated_host& host() noexcept { return host_; }
  // The name of an address in the whole network. Port 0 becomes a free one.
  [[nodiscard]] std::string name_of(const endpoint& at) const;
  [[nodiscard]] endpoint with_port(const endpoint& at);

private:
  simulated_network& net_;
  simulated_host& host_;
  std::string host_name_;
  process::wrapper wrap_;
  std::vector<std::weak_ptr<simulated_connector>> attempts_;
};

}  // namespace zmtp::simulation
