#include "zmtp/framing/zws_input.h"

#include "zmtp/command.h"
#include "zmtp/frame.h"
#include "zmtp/framing/zws_bytes.h"
#include "zmtp/greeting.h"
#include "zmtp/metadata.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace zmtp {

namespace {

using websocket::opcode;

constexpr std::size_t max_routing_id = 255;

// NULL has one command of each side, as ZWS2.0 has one routing id. PLAIN and CURVE have two commands.
unsigned handshake_messages(std::string_view mechanism) noexcept {
  return mechanism.empty() || mechanism == "NULL" ? 1 : 2;
}

}  // namespace

zws_input::zws_input(websocket::side own, std::string_view mechanism)
    : header_{own},
      expects_routing_id_{mechanism.empty()},
      handshake_left_{handshake_messages(mechanism)} {
  zws::append(made_, greeting::encode(mechanism.empty() ? "NULL" : mechanism, false, 0));
}

zws_input::progress zws_input::read(std::span<const std::byte> from, std::span<std::byte> to) {
  progress p;
  for (;;) {
    const auto give = [&](std::string_view bytes) {
      const auto count = std::min(bytes.size(), to.size() - p.made);
      std::memcpy(to.data() + p.made, bytes.data(), count);
      p.made += count;
      return count;
    };
    if (!made_.empty()) {
      made_.erase(0, give(made_));
    }
    if (made_.empty() && state_ == state::whole) {
      left_ -= give(std::string_view{fragments_}.substr(fragments_.size() - left_));
      if (left_ == 0) {
        drop_fragments();
      }
    }
    const auto rest = from.subspan(p.used);
    const auto take = [&](std::size_t most) {
      const auto here = std::min(most, rest.size());
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, here));
      p.used += count;
      left_ -= count;
      return rest.first(count);
    };
    if (rest.empty() || ready()) {
      return p;
    }
    switch (state_) {
      case state::header: {
        const auto used = header_.read(rest);
        p.used += used ? *used : 0;
        p.fault = used ? on_header() : used.error();
        break;
      }
      case state::flags: p.fault = on_flags(*take(1).data() ^ header_.key()[0]); break;
      case state::control:
      case state::routing_id:
        collect(collected_, take(rest.size()));
        if (left_ == 0) {
          on_collected();
        }
        break;
      case state::fragment:
        collect(fragments_, take(rest.size()));
        p.fault = left_ == 0 ? on_fragment() : error_code{};
        break;
      case state::whole: break;  // ready()
      case state::body: {
        if (p.made == to.size()) {
          return p;
        }
        const auto offset = header_.payload() - left_;
        const auto body = take(to.size() - p.made);
        websocket::mask(to.data() + p.made, body, header_.key(), offset);
        p.made += body.size();
        if (left_ == 0) {
          header_.restart();
          state_ = state::header;
        }
        break;
      }
      case state::closed: p.used = from.size(); break;
    }
    if (p.fault) {
      return p;
    }
  }
}

error_code zws_input::on_header() {
  if (!header_.complete()) {
    return {};
  }
  left_ = header_.payload();
  if (websocket::is_control(header_.code())) {
    state_ = state::control;
    if (left_ == 0) {
      on_collected();
    }
    return {};
  }
  const bool begins = header_.code() == opcode::binary;
  if (begins == in_fragments_) {
    return errc::bad_websocket_frame;
  }
  if (begins && header_.final()) {
    state_ = state::flags;
    return left_ == 0 ? make_error_code(errc::bad_websocket_frame) : error_code{};
  }
  const auto most = handshake_left_ != 0 ? max_fragmented_in_handshake : max_fragmented;
  if (left_ > most - fragments_.size()) {
    return errc::bad_websocket_frame;
  }
  in_fragments_ = true;
  state_ = state::fragment;
  return left_ == 0 ? on_fragment() : error_code{};
}

// The payload of a fragment is complete.
error_code zws_input::on_fragment() {
  in_fragments_ = !header_.final();
  header_.restart();
  state_ = state::header;
  if (in_fragments_) {
    return {};
  }
  if (fragments_.empty()) {
    return errc::bad_websocket_frame;
  }
  left_ = fragments_.size() - 1;
  if (const auto fault = on_flags(static_cast<std::byte>(fragments_.front()))) {
    return fault;
  }
  if (state_ == state::body) {
    state_ = state::whole;
    return {};
  }
  if (state_ == state::routing_id) {
    collected_ = fragments_.substr(1);
    on_collected();
  }
  drop_fragments();
  return {};
}

void zws_input::drop_fragments() noexcept {
  std::string{}.swap(fragments_);  // an assignment would keep the memory
  left_ = 0;
  state_ = state::header;
}

error_code zws_input::on_flags(std::byte flags) {
  if (flags != zws::last && flags != zws::more && flags != zws::command) {
    return errc::bad_websocket_frame;
  }
  handshake_left_ -= std::min(handshake_left_, 1U);
  if (expects_routing_id_) {
    expects_routing_id_ = false;
    state_ = state::routing_id;
    if (flags != zws::last) {
      return errc::bad_websocket_frame;
    }
    if (left_ > max_routing_id) {
      return errc::routing_id_too_long;
    }
    if (left_ == 0) {
      on_collected();
    }
    return {};
  }
  std::array<std::byte, frame::max_header_size> header{};
  const auto own = flags == zws::command ? frame::command : flags;
  const auto* const end = frame::put_header(header.data(), own, static_cast<std::size_t>(left_));
  zws::append(made_, {header.data(), static_cast<std::size_t>(end - header.data())});
  state_ = left_ == 0 ? state::header : state::body;
  if (left_ == 0) {
    header_.restart();
  }
  return {};
}

void zws_input::collect(std::string& to, std::span<const std::byte> payload) const {
  const auto at = to.size();
  const auto offset = header_.payload() - left_ - payload.size();
  to.resize(at + payload.size());
  websocket::mask(reinterpret_cast<std::byte*>(to.data()) + at, payload, header_.key(), offset);
}

void zws_input::on_collected() {
  const auto collected = std::exchange(collected_, {});
  const auto was = std::exchange(state_, state::header);
  if (was == state::routing_id) {
    metadata known;
    if (!collected.empty()) {
      known.add("Identity", collected);
    }
    std::string properties;
    known.encode(properties);
    command::put(made_, "READY", properties);
  } else if (header_.code() == opcode::ping) {
    ping_ = collected;
  } else if (header_.code() == opcode::close) {
    state_ = state::closed;
  }
  header_.restart();
}

}  // namespace zmtp
