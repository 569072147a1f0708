#pragma once
// A stream that passes everything on to another stream, for what observes or falsifies its bytes.

#include "zmtp/transport/network.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace zmtp::simulation {

class stream_over : public transport::stream {
public:
  using piece = std::span<const std::byte>;

  explicit stream_over(std::unique_ptr<transport::stream> below) : below_{std::move(below)} {}

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override {
    return below_->read_some(to, ec);
  }
  [[nodiscard]] std::size_t write_some(std::span<const piece> pieces,
                                       error_code& ec) noexcept override {
    return below_->write_some(pieces, ec);
  }
  void wait(transport::stream_side side, std::shared_ptr<transport::stream_user> user) override {
    below_->wait(side, std::move(user));
  }
  void shutdown_send() noexcept override { below_->shutdown_send(); }
  void shutdown() noexcept override { below_->shutdown(); }
  void close() noexcept override { below_->close(); }
  [[nodiscard]] transport::acknowledgement acknowledged() const noexcept override {
    return below_->acknowledged();
  }
  [[nodiscard]] std::size_t unacknowledged() const noexcept override {
    return below_->unacknowledged();
  }
  [[nodiscard]] bool reset() noexcept override { return below_->reset(); }
  [[nodiscard]] transport::remote_end remote() const override { return below_->remote(); }
  [[nodiscard]] std::size_t held() const noexcept override { return below_->held(); }

private:
  std::unique_ptr<transport::stream> below_;
};

// Makes a faulty stream over another one: a planted fault.
using false_layer =
    std::function<std::unique_ptr<transport::stream>(std::unique_ptr<transport::stream>)>;

}  // namespace zmtp::simulation
