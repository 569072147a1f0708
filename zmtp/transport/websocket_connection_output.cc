// The part of websocket_connection that writes.

#include "zmtp/framing/zws_bytes.h"
#include "zmtp/greeting.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/transport/websocket_connection.h"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <new>

namespace zmtp::transport {

std::size_t websocket_connection::write_some(std::span<const piece> pieces,
                                             error_code& ec) noexcept {
  std::size_t count = 0;
  try {
    count = output_ ? write(pieces) : take_greeting(pieces);
  } catch (const std::bad_alloc&) {
    write_fault_ = errc::out_of_memory;
  }
  ec = count != 0 ? error_code{} : write_fault_ ? write_fault_ : asio::error::would_block;
  return count;
}

std::size_t websocket_connection::take_greeting(std::span<const piece> pieces) {
  auto& own = opening_->greeting;
  std::size_t used = 0;
  for (const auto bytes : pieces) {
    const auto count = std::min(bytes.size(), greeting::size - own.size());
    zws::append(own, bytes.first(count));
    used += count;
  }
  if (used != 0 && own.size() == greeting::size) {
    opening_->terms.mechanism = greeting::mechanism(zws::bytes_of(own));
    if (own_ == websocket::side::client) {
      send_request();
    }
  }
  return used;
}

void websocket_connection::send_request() {
  upgrade_client::nonce random;
  runtime::of(executor()).random(random);
  opening_->client.emplace(random);
  send(zws::bytes_of(opening_->client->request(opening_->terms)));
}

// Translates and writes until the stream below takes no more. Without pieces, writes what waits in
// the translation. Returns the number of bytes of the pieces that were taken.
std::size_t websocket_connection::write(std::span<const piece> pieces) {
  std::array<std::byte, at_once> space;
  std::size_t all = 0;
  std::size_t filled = space.size();
  piece rest;
  while (!blocked() && filled == space.size()) {
    filled = 0;
    for (;;) {
      while (rest.empty() && !pieces.empty()) {
        rest = pieces.front();
        pieces = pieces.subspan(1);
      }
      const auto [used, made] = output_->write(rest, std::span{space}.subspan(filled));
      rest = rest.subspan(used);
      all += used;
      filled += made;
      if (used == 0 && made == 0) {
        break;
      }
    }
    send({space.data(), filled});
  }
  return all;
}

void websocket_connection::write_own() {
  if (output_ && output_->ready()) {
    write({});
  }
}

void websocket_connection::write_end() {
  if (output_ && !read_fault_) {
    output_->close(websocket::normal_closure);
  }
  if (output_ && !blocked()) {
    write({});
  }
}

}  // namespace zmtp::transport
