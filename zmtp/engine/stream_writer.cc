#include "zmtp/engine/stream_writer.h"

#include <boost/asio/error.hpp>

#include <array>
#include <new>
#include <span>
#include <utility>

namespace zmtp {

stream_writer::written stream_writer::write(send_queue& queue, std::uint64_t turn) {
  last_turn_ = turn;
  std::array<conversation::piece, conversation::max_pieces> pieces;
  const auto count = from_.output(pieces, queue);
  if (count == 0) {
    return {};
  }
  std::size_t offered = 0;
  for (std::size_t i = 0; i < count; ++i) {
    offered += pieces[i].size();
  }
  error_code ec;
  const auto bytes = stream_.write_some(std::span{pieces}.first(count), ec);
  if (ec && ec != boost::asio::error::would_block) {
    cut_off();
    return {};
  }
  from_.advance(bytes, queue);
  return {.bytes = bytes, .full = bytes < offered};
}

// The remaining data of the peer is read first, and the link ends after it. A peer that is still
// connected, when a write failed without memory, must be disconnected, because the lost bytes
// cannot be sent again.
void stream_writer::cut_off() noexcept {
  state_ = state::broken;
  stream_.shutdown();
}

void stream_writer::wait(std::shared_ptr<transport::stream_user> user) noexcept {
  try {
    stream_.wait(transport::stream_side::write, std::move(user));
    state_ = state::waiting;
  } catch (const std::bad_alloc&) {
    cut_off();
  }
}

void stream_writer::shut() noexcept {
  stream_.shutdown_send();
  if (!broken()) {
    state_ = state::shut;
  }
}

}  // namespace zmtp
