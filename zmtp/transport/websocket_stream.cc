#include "zmtp/transport/websocket_stream.h"

#include "zmtp/transport/websocket_connection.h"

#include <utility>

namespace zmtp::transport {

namespace {

// The handle of the user. Waits share the connection.
class websocket_stream final : public stream {
public:
  explicit websocket_stream(std::shared_ptr<websocket_connection> connection) noexcept
      : connection_{std::move(connection)} {}
  ~websocket_stream() override { connection_->abandon(); }

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override {
    return connection_->read_some(to, ec);
  }
  [[nodiscard]] std::size_t write_some(std::span<const std::span<const std::byte>> pieces,
                                       error_code& ec) noexcept override {
    return connection_->write_some(pieces, ec);
  }
  void wait(stream_side side, std::shared_ptr<stream_user> user) override {
    connection_->wait(side, std::move(user));
  }
  void shutdown_send() noexcept override { connection_->shutdown_send(); }
  void shutdown() noexcept override { connection_->over().shutdown(); }
  void close() noexcept override { connection_->close(); }
  [[nodiscard]] acknowledgement acknowledged() const noexcept override {
    auto below = connection_->over().acknowledged();
    below.complete = below.complete && connection_->unwritten() == 0;
    return below;
  }
  [[nodiscard]] std::size_t unacknowledged() const noexcept override {
    return connection_->over().unacknowledged() + connection_->unwritten();
  }
  [[nodiscard]] bool reset() noexcept override { return connection_->over().reset(); }
  [[nodiscard]] remote_end remote() const override { return connection_->over().remote(); }

private:
  std::shared_ptr<websocket_connection> connection_;
};

}  // namespace

std::unique_ptr<stream> make_websocket_stream(std::unique_ptr<stream> over, websocket::side own,
                                              const ws_address& at,
                                              const transport_options& options,
                                              const asio::any_io_executor& executor) {
  return std::make_unique<websocket_stream>(std::make_shared<websocket_connection>(
      std::move(over), own, upgrade_terms{.at = at, .origins = options.websocket_origins},
      executor));
}

std::unique_ptr<stream> layered(std::unique_ptr<stream> over, websocket::side own,
                                const endpoint& at, const transport_options& options,
                                const asio::any_io_executor& executor) {
  const auto* const ws = at.ws();
  return ws != nullptr ? make_websocket_stream(std::move(over), own, *ws, options, executor)
                       : std::move(over);
}

}  // namespace zmtp::transport
