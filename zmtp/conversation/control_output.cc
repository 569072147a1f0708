#include "zmtp/conversation/control_output.h"

#include "zmtp/buffer/block.h"
#include "zmtp/command.h"
#include "zmtp/frame.h"

#include <utility>

namespace zmtp {

namespace {

// Bytes of subscription changes in one write. The last command may exceed them.
constexpr std::size_t most_changes = block_size::large;
// Bytes of the longer of both names, with its length.
constexpr std::size_t subscribe_name_size = 1 + std::string_view{"SUBSCRIBE"}.size();

std::string_view view(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void control_output::greet(const message& m) {
  bytes_.append(view(m.head()));
  bytes_.append(view(m.tail()));
}

void control_output::fill(std::uint16_t ttl, std::uint8_t peer_minor) {
  if (pending()) {
    return;
  }
  if (std::exchange(pong_due_, false)) {
    command::put_pong(bytes_, pong_context_);
  }
  if (std::exchange(ping_due_, false)) {
    command::put_ping(bytes_, ttl, {});
  }
  for (; !changes_.empty() && bytes_.size() < most_changes; changes_.pop()) {
    const auto& [subscribe, topic] = changes_.front();
    // If there is no memory, nothing of the command has been appended.
    bytes_.reserve(bytes_.size() + frame::max_header_size + subscribe_name_size + topic.size());
    subscribe ? command::put_subscribe(bytes_, topic, peer_minor)
              : command::put_cancel(bytes_, topic, peer_minor);
  }
}

std::size_t control_output::advance(std::size_t count) noexcept {
  const auto own = std::min(count, bytes_.size() - written_);
  written_ += own;
  if (!pending()) {
    drop_pending();
  }
  return count - own;
}

void control_output::drop_pending() noexcept {
  written_ = 0;
  if (bytes_.capacity() > block_size::small) {
    bytes_ = std::string{};
  } else {
    bytes_.clear();
  }
}

void control_output::drop_due() noexcept {
  pong_due_ = false;
  ping_due_ = false;
  changes_.clear();
}

}  // namespace zmtp
