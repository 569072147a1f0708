#include "zmtp/transport/stream_layer.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <new>
#include <utility>

namespace zmtp::transport {

namespace {

constexpr std::size_t index_of(stream_side side) noexcept { return static_cast<std::size_t>(side); }

class layered_stream final : public stream {
public:
  explicit layered_stream(std::shared_ptr<stream_layer> layer) noexcept
      : layer_{std::move(layer)} {}
  ~layered_stream() override { layer_->abandon(); }

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override {
    return layer_->read_some(to, ec);
  }
  [[nodiscard]] std::size_t write_some(std::span<const std::span<const std::byte>> pieces,
                                       error_code& ec) noexcept override {
    return layer_->write_some(pieces, ec);
  }
  void wait(stream_side side, std::shared_ptr<stream_user> user) override {
    layer_->wait(side, std::move(user));
  }
  void shutdown_send() noexcept override { layer_->shutdown_send(); }
  void shutdown() noexcept override { layer_->over().shutdown(); }
  void close() noexcept override { layer_->close(); }
  [[nodiscard]] acknowledgement acknowledged() const noexcept override {
    auto below = layer_->over().acknowledged();
    below.complete = below.complete && layer_->unwritten() == 0;
    return below;
  }
  [[nodiscard]] std::size_t unacknowledged() const noexcept override {
    return layer_->over().unacknowledged() + layer_->unwritten();
  }
  [[nodiscard]] bool reset() noexcept override { return layer_->over().reset(); }
  [[nodiscard]] remote_end remote() const override { return layer_->remote(); }
  [[nodiscard]] std::size_t held() const noexcept override { return layer_->held(); }

private:
  std::shared_ptr<stream_layer> layer_;
};

}  // namespace

std::unique_ptr<stream> make_stream(std::shared_ptr<stream_layer> layer) {
  return std::make_unique<layered_stream>(std::move(layer));
}

stream_layer::stream_layer(std::unique_ptr<stream> over, asio::any_io_executor executor)
    : over_{std::move(over)}, executor_{std::move(executor)} {}

void stream_layer::wait(stream_side side, std::shared_ptr<stream_user> user) {
  if (side == stream_side::write && !opened()) {
    wait_over(stream_side::read)->early_writer = std::move(user);
  } else if (side == stream_side::read && has_input()) {
    call_soon(side, {}, std::move(user));
  } else {
    wait_over(side, std::move(user));
  }
}

std::shared_ptr<stream_layer::pending> stream_layer::wait_over(stream_side side,
                                                               std::shared_ptr<stream_user> user) {
  auto wait = waits_[index_of(side)].lock();
  if (wait == nullptr) {
    wait = std::make_shared<pending>(shared_from_this(), std::move(user));
    waits_[index_of(side)] = wait;
    over_->wait(side, wait);
  } else if (user) {
    wait->user = std::move(user);
  }
  return wait;
}

void stream_layer::pending::on_ready(stream_side side, error_code ec) {
  of->on_ready(*this, side, ec);
}

void stream_layer::on_ready(pending& wait, stream_side side, error_code ec) {
  waits_[index_of(side)].reset();
  bool ready = true;
  if (!ec) {
    try {
      ready = advance(side);
      if (!ready) {
        wait_over(side, wait.user);
      }
    } catch (const std::bad_alloc&) {
      (side == stream_side::write ? write_fault_ : read_fault_) = errc::out_of_memory;
    }
  }
  if (ready && wait.user && !abandoned_) {
    wait.user->on_ready(side, ec);
  }
  if (wait.early_writer && !abandoned_) {
    pass_on(wait.early_writer, ec);
  }
}

// The wait for reads that owned the user is over.
void stream_layer::pass_on(const std::shared_ptr<stream_user>& early_writer, error_code ec) {
  try {
    ec || opened() ? call_soon(stream_side::write, ec, early_writer)
                   : wait(stream_side::write, early_writer);
  } catch (const std::bad_alloc&) {
    early_writer->on_ready(stream_side::write, errc::out_of_memory);
  }
}

// Returns whether the user can continue.
bool stream_layer::advance(stream_side side) {
  if (side == stream_side::read) {
    return on_readable();
  }
  send_rest();
  return unwritten_.empty() || write_fault_;
}

void stream_layer::on_opened() {
  if (const auto wait = waits_[index_of(stream_side::read)].lock()) {
    call_soon(stream_side::write, {}, std::exchange(wait->early_writer, {}));
  }
}

void stream_layer::call_soon(stream_side side, error_code ec, std::shared_ptr<stream_user> user) {
  if (user) {
    asio::post(executor_, [self = shared_from_this(), side, ec, user = std::move(user)] {
      if (!self->abandoned_) {
        user->on_ready(side, ec);
      }
    });
  }
}

void stream_layer::send(piece bytes) {
  if (bytes.empty()) {
    return;
  }
  std::size_t count = 0;
  if (unwritten_.empty()) {
    error_code ec;
    count = over_->write_some({&bytes, 1}, ec);
    if (ec && ec != asio::error::would_block) {
      write_fault_ = ec;
      return;
    }
  }
  if (count < bytes.size()) {
    const auto rest = bytes.subspan(count);
    unwritten_.append(reinterpret_cast<const char*>(rest.data()), rest.size());
    wait_over(stream_side::write);
  }
}

void stream_layer::send_rest() {
  const auto rest = std::exchange(unwritten_, {});
  send(std::as_bytes(std::span{rest}));
  if (!blocked()) {
    write_own();
  }
  shut_when_written();
}

void stream_layer::shutdown_send() noexcept {
  if (end_ != end_of_output::open) {
    return;
  }
  end_ = end_of_output::waits;
  try {
    write_end();
  } catch (const std::bad_alloc&) {
    write_fault_ = errc::out_of_memory;
  }
  shut_when_written();
}

void stream_layer::shut_when_written() noexcept {
  if (end_ == end_of_output::waits && (unwritten_.empty() || write_fault_)) {
    end_ = end_of_output::shut;
    over_->shutdown_send();
  }
}

void stream_layer::close() noexcept { over_->close(); }

void stream_layer::abandon() noexcept {
  abandoned_ = true;
  over_->close();
}

}  // namespace zmtp::transport
