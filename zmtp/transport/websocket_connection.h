#pragma once
// The state behind a stream of ws://: the upgrade, and the translation between ZMTP and ZWS.

#include "zmtp/error.h"
#include "zmtp/framing/zws_input.h"
#include "zmtp/framing/zws_output.h"
#include "zmtp/transport/network.h"
#include "zmtp/transport/stream_layer.h"
#include "zmtp/transport/websocket_upgrade.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace zmtp::transport {

// See websocket_stream.h.
class websocket_connection final : public stream_layer {
public:
  websocket_connection(std::unique_ptr<stream> over, websocket::side own, upgrade_terms terms,
                       asio::any_io_executor executor);

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override;
  [[nodiscard]] std::size_t write_some(std::span<const piece> pieces,
                                       error_code& ec) noexcept override;
  [[nodiscard]] std::size_t held() const noexcept override {
    return stream_layer::held() + (input_ ? input_->held() : 0);
  }

private:
  // Bytes on the stack for one call of the stream below. An idle connection has no buffer.
  static constexpr std::size_t at_once = 32 * 1024;

  // The time before the upgrade.
  struct opening {
    upgrade_terms terms;
    std::string greeting{};  // the greeting of the local side
    std::string head{};      // the peer's request or response
    std::optional<upgrade_client> client{};
  };

  [[nodiscard]] bool opened() const noexcept override { return output_.has_value(); }
  [[nodiscard]] bool has_input() const noexcept override {
    return read_fault_ || (input_ && (input_->ready() || !unread_.empty()));
  }
  void write_own() override;
  void write_end() override;
  [[nodiscard]] std::size_t read(std::span<std::byte> to);
  [[nodiscard]] std::size_t translate(piece from, std::span<std::byte> to);
  void take_head(piece bytes);
  [[nodiscard]] bool give_away();
  void upgrade(sub_protocol chosen, std::size_t head_size);
  void answer_control();
  [[nodiscard]] std::size_t take_greeting(std::span<const piece> pieces);
  void send_request();
  std::size_t write(std::span<const piece> pieces);

  websocket::side own_;
  std::unique_ptr<opening> opening_;  // null after the upgrade
  std::optional<zws_input> input_;    // from then on, as the output
  std::optional<zws_output> output_;
  std::string unread_;  // bytes of the peer for which the user had no space
};

}  // namespace zmtp::transport
