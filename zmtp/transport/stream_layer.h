#pragma once
// The state of a stream over another stream, for transports that transform bytes.

#include "zmtp/error.h"
#include "zmtp/transport/network.h"

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace zmtp::transport {

// Shared with the waits of the stream below, because it also writes for itself: the bytes that this
// stream has not taken, and answers to the peer. It owns no user: a user owns its stream, and only a
// wait owns the user.
class stream_layer : public std::enable_shared_from_this<stream_layer> {
public:
  using piece = std::span<const std::byte>;

  stream_layer(std::unique_ptr<stream> over, asio::any_io_executor executor);
  stream_layer(const stream_layer&) = delete;
  stream_layer& operator=(const stream_layer&) = delete;
  virtual ~stream_layer() = default;

  // See stream.
  [[nodiscard]] virtual std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept = 0;
  [[nodiscard]] virtual std::size_t write_some(std::span<const piece> pieces,
                                               error_code& ec) noexcept = 0;
  void wait(stream_side side, std::shared_ptr<stream_user> user);
  // Writes what the user has written and the end of this layer, and shuts the stream below after
  // them.
  void shutdown_send() noexcept;
  virtual void close() noexcept;
  // Closes without calling a user.
  void abandon() noexcept;
  [[nodiscard]] virtual remote_end remote() const { return over_->remote(); }
  [[nodiscard]] virtual std::size_t held() const noexcept { return over_->held(); }

  [[nodiscard]] stream& over() noexcept { return *over_; }
  // Bytes that the user has written and the stream below has not. An end that waits counts as one.
  [[nodiscard]] std::size_t unwritten() const noexcept {
    return unwritten_.size() + (end_ == end_of_output::waits ? 1 : 0);
  }

protected:
  enum class end_of_output : std::uint8_t { open, waits, shut };

  // Returns whether the user can write. A wait before it ends with on_opened().
  [[nodiscard]] virtual bool opened() const noexcept = 0;
  // Returns whether a read has a result without the stream below.
  [[nodiscard]] virtual bool has_input() const noexcept = 0;
  // The stream below may be readable. Returns whether the user may have something to read.
  [[nodiscard]] virtual bool on_readable() { return true; }
  // Writes what the layer itself has to write. Everything before it has been written.
  virtual void write_own() {}
  // Writes the last bytes of this layer.
  virtual void write_end() = 0;

  // Writes to the stream below, or later.
  void send(piece bytes);
  void on_opened();
  void call_soon(stream_side side, error_code ec, std::shared_ptr<stream_user> user);
  [[nodiscard]] bool blocked() const noexcept { return !unwritten_.empty() || write_fault_; }
  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return executor_; }
  [[nodiscard]] end_of_output end() const noexcept { return end_; }

  error_code read_fault_;   // the end of further reads
  error_code write_fault_;  // the end of further writes

private:
  // A wait of the stream below, which owns it, and the user who waits for the same.
  struct pending final : stream_user {
    pending(std::shared_ptr<stream_layer> layer, std::shared_ptr<stream_user> whom)
        : of{std::move(layer)}, user{std::move(whom)} {}
    void on_ready(stream_side side, error_code ec) override;

    std::shared_ptr<stream_layer> of;
    std::shared_ptr<stream_user> user;  // may be null
    // Waits to write before opened(). Only of the wait for reads; may be null.
    std::shared_ptr<stream_user> early_writer;
  };

  void on_ready(pending& wait, stream_side side, error_code ec);
  void pass_on(const std::shared_ptr<stream_user>& early_writer, error_code ec);
  [[nodiscard]] bool advance(stream_side side);
  void send_rest();
  void shut_when_written() noexcept;
  std::shared_ptr<pending> wait_over(stream_side side, std::shared_ptr<stream_user> user = {});

  std::unique_ptr<stream> over_;
  asio::any_io_executor executor_;
  end_of_output end_ = end_of_output::open;
  std::array<std::weak_ptr<pending>, 2> waits_;
  bool abandoned_ = false;
  std::string unwritten_;  // bytes that the stream below has not taken
};

// Returns the handle of the user.
[[nodiscard]] std::unique_ptr<stream> make_stream(std::shared_ptr<stream_layer> layer);

}  // namespace zmtp::transport
