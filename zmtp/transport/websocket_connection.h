#pragma once
// The state behind a stream of ws://: the upgrade, and the translation between ZMTP and ZWS.

#include "zmtp/error.h"
#include "zmtp/framing/zws_input.h"
#include "zmtp/framing/zws_output.h"
#include "zmtp/transport/network.h"
#include "zmtp/transport/websocket_upgrade.h"

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace zmtp::transport {

// See websocket_stream.h. Shared with the waits of the stream below, because it also writes for
// itself: the bytes that this stream has not taken, and answers to the peer. It owns no user: a user
// owns its stream, and only a wait owns the user.
class websocket_connection final : public std::enable_shared_from_this<websocket_connection> {
public:
  using piece = std::span<const std::byte>;

  websocket_connection(std::unique_ptr<stream> over, websocket::side own, upgrade_terms terms,
                       asio::any_io_executor executor);

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept;
  [[nodiscard]] std::size_t write_some(std::span<const piece> pieces, error_code& ec) noexcept;
  void wait(stream_side side, std::shared_ptr<stream_user> user);
  // Writes what the user has written and a Close, and shuts the stream below after them.
  void shutdown_send() noexcept;
  void close() noexcept;
  // Closes without calling a user.
  void abandon() noexcept;

  [[nodiscard]] stream& over() noexcept { return *over_; }
  // Bytes that the user has written and the stream below has not. An end that waits counts as one.
  [[nodiscard]] std::size_t unwritten() const noexcept {
    return unwritten_.size() + (end_ == end_of_output::waits ? 1 : 0);
  }

private:
  enum class end_of_output : std::uint8_t { open, waits, shut };

  // Bytes on the stack for one call of the stream below. An idle connection has no buffer.
  static constexpr std::size_t at_once = 32 * 1024;

  // A wait of the stream below, which owns it, and the user who waits for the same.
  struct pending final : stream_user {
    pending(std::shared_ptr<websocket_connection> connection, std::shared_ptr<stream_user> whom)
        : of{std::move(connection)}, user{std::move(whom)} {}
    void on_ready(stream_side side, error_code ec) override;

    std::shared_ptr<websocket_connection> of;
    std::shared_ptr<stream_user> user;  // may be null
  };

  // The time before the upgrade.
  struct opening {
    upgrade_terms terms;
    std::string greeting{};  // the greeting of the local side
    std::string head{};      // the peer's request or response
    std::optional<upgrade_client> client{};
  };

  void on_ready(stream_side side, error_code ec, std::shared_ptr<stream_user> user);
  [[nodiscard]] std::size_t read(std::span<std::byte> to);
  [[nodiscard]] std::size_t translate(piece from, std::span<std::byte> to);
  void take_head(piece bytes);
  void upgrade(sub_protocol chosen, std::size_t head_size);
  void answer_control();
  [[nodiscard]] std::size_t take_greeting(std::span<const piece> pieces);
  void send_request();
  std::size_t write(std::span<const piece> pieces);
  void send(piece bytes);
  void send_rest();
  void shut_when_written() noexcept;
  void wait_over(stream_side side, std::shared_ptr<stream_user> user = {});
  void call_soon(stream_side side, error_code ec, std::shared_ptr<stream_user> user);
  [[nodiscard]] bool blocked() const noexcept { return !unwritten_.empty() || write_fault_; }

  std::unique_ptr<stream> over_;
  asio::any_io_executor executor_;
  websocket::side own_;
  end_of_output end_ = end_of_output::open;
  std::array<std::weak_ptr<pending>, 2> waits_;
  // Waits for the upgrade before it writes. Its wait for reads owns it meanwhile.
  std::weak_ptr<stream_user> early_writer_;
  bool abandoned_ = false;
  std::unique_ptr<opening> opening_;  // null after the upgrade
  std::optional<zws_input> input_;    // from then on, as the output
  std::optional<zws_output> output_;
  std::string unread_;      // bytes of the peer for which the user had no space
  std::string unwritten_;   // bytes that the stream below has not taken
  error_code read_fault_;   // the end of further reads
  error_code write_fault_;  // the end of further writes
};

}  // namespace zmtp::transport
