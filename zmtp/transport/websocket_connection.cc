#include "zmtp/transport/websocket_connection.h"

#include "zmtp/framing/zws_bytes.h"
#include "zmtp/greeting.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/transport/other_requests.h"
#include "zmtp/transport/system_stream.h"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

namespace zmtp::transport {

namespace {

using websocket::side;

constexpr std::size_t least_read = 256;

}  // namespace

websocket_connection::websocket_connection(std::unique_ptr<stream> over, side own,
                                           upgrade_terms terms, asio::any_io_executor executor)
    : stream_layer{std::move(over), std::move(executor)},
      own_{own},
      opening_{std::make_unique<opening>(opening{.terms = std::move(terms)})} {}

std::size_t websocket_connection::read_some(std::span<std::byte> to, error_code& ec) noexcept {
  std::size_t count = 0;
  try {
    count = read(to);
  } catch (const std::bad_alloc&) {
    read_fault_ = errc::out_of_memory;
  }
  ec = count != 0 ? error_code{} : read_fault_ ? read_fault_ : asio::error::would_block;
  return count;
}

// Reads once, so that a peer that sends only control frames does not keep the executor. Reads hardly
// more than the user has space for, because the rest waits here.
std::size_t websocket_connection::read(std::span<std::byte> to) {
  if (read_fault_) {
    return 0;
  }
  if (input_) {
    const auto from = std::exchange(unread_, {});
    const auto made = translate(zws::bytes_of(from), to);
    if (made != 0 || read_fault_) {
      return made;
    }
  }
  std::array<std::byte, at_once> space;
  error_code ec;
  const auto most = std::clamp(to.size(), least_read, at_once);
  const auto count = over().read_some(std::span{space}.first(most), ec);
  if (ec) {
    read_fault_ = ec == asio::error::would_block ? error_code{} : ec;
    return 0;
  }
  const piece got{space.data(), count};
  if (opening_) {
    take_head(got);
  }
  if (!input_) {
    return 0;
  }
  const auto opened = std::exchange(opening_, nullptr);
  return translate(opened ? zws::bytes_of(opened->head) : got, to);
}

std::size_t websocket_connection::translate(piece from, std::span<std::byte> to) {
  const auto [used, made, fault] = input_->read(from, to);
  zws::append(unread_, from.subspan(used));
  read_fault_ = fault;
  answer_control();
  return made;
}

void websocket_connection::answer_control() {
  if (auto ping = input_->take_ping()) {
    output_->pong(std::move(*ping));
  }
  const bool over = read_fault_ || input_->closed();
  const bool answers = over && end() == end_of_output::open;
  if (answers) {
    output_->close(read_fault_ ? websocket::protocol_error : websocket::normal_closure);
  }
  if (over && !read_fault_) {
    read_fault_ = asio::error::eof;
  }
  if (output_->ready() && !blocked()) {
    write({});
  }
  if (answers) {
    write_fault_ = asio::error::broken_pipe;  // nothing follows a Close
  }
}

// Collects the head of the HTTP message, and what follows it.
void websocket_connection::take_head(piece bytes) {
  auto& head = opening_->head;
  zws::append(head, bytes);
  const auto size = upgrade_size(head, own_);
  if (!size) {
    read_fault_ = give_away() ? asio::error::eof : size.error();
    return;
  }
  if (*size == 0) {
    return;
  }
  const auto message = std::string_view{head}.substr(0, *size);
  if (own_ == side::client) {
    if (const auto chosen = opening_->client->on_response(message, opening_->terms)) {
      upgrade(*chosen, *size);
    } else {
      read_fault_ = chosen.error();
    }
    return;
  }
  assert(opening_->greeting.size() == greeting::size);
  const auto answer = answer_upgrade(message, opening_->terms);
  if (answer.for_others && give_away()) {
    read_fault_ = asio::error::eof;
    return;
  }
  send(zws::bytes_of(answer.response));
  if (answer.fault) {
    read_fault_ = answer.fault;
  } else {
    upgrade(answer.chosen, *size);
  }
}

// Returns whether a web server at this port has the connection now.
bool websocket_connection::give_away() {
  const auto* const to =
      own_ == side::server ? taker_of_other_requests(executor(), opening_->terms.at) : nullptr;
  // Only a stream of the operating system has a descriptor.
  auto* const system = to != nullptr ? dynamic_cast<system_stream*>(&over()) : nullptr;
  const int descriptor = system != nullptr ? system->release() : -1;
  if (descriptor < 0) {
    return false;
  }
  (*to)(descriptor, std::move(opening_->head));
  return true;
}

void websocket_connection::upgrade(sub_protocol chosen, std::size_t head_size) {
  const bool has_mechanism = chosen == sub_protocol::with_mechanism;
  input_.emplace(own_, has_mechanism ? std::string_view{opening_->terms.mechanism} : "");
  output_.emplace(own_, has_mechanism,
                  [&of = runtime::of(executor())](std::span<std::byte> to) { of.random(to); });
  opening_->head.erase(0, head_size);
  on_opened();
}

}  // namespace zmtp::transport
