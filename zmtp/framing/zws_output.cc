#include "zmtp/framing/zws_output.h"

#include "zmtp/command.h"
#include "zmtp/framing/zws_bytes.h"
#include "zmtp/metadata.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace zmtp {

namespace {

using websocket::opcode;

}  // namespace

zws_output::zws_output(websocket::side own, bool mechanism, random_bytes random)
    : own_{own}, mechanism_{mechanism}, random_{std::move(random)} {}

zws_output::progress zws_output::write(std::span<const std::byte> from, std::span<std::byte> to) {
  progress p;
  for (;;) {
    if (at_boundary() && made_.empty()) {
      put_control();
    }
    if (!made_.empty()) {
      const auto count = std::min(made_.size(), to.size() - p.made);
      std::memcpy(to.data() + p.made, made_.data(), count);
      p.made += count;
      made_.erase(0, count);
      if (!made_.empty()) {
        return p;
      }
      continue;
    }
    const auto rest = from.subspan(p.used);
    if (rest.empty()) {
      return p;
    }
    const auto whole = static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
    switch (state_) {
      case state::header:
        header_[header_size_++] = rest.front();
        ++p.used;
        if (header_size_ >= 2 && header_size_ == frame::header_size(header_[0])) {
          on_header();
        }
        continue;
      case state::ready:
        command_.append(reinterpret_cast<const char*>(rest.data()), whole);
        p.used += whole;
        left_ -= whole;
        if (left_ == 0) {
          on_ready();
        }
        continue;
      case state::dropped:
        p.used += whole;
        left_ -= whole;
        break;
      case state::body: {
        const auto count = std::min(whole, to.size() - p.made);
        if (count == 0) {
          return p;
        }
        websocket::mask(to.data() + p.made, rest.first(count), key_, offset_);
        offset_ += count;
        p.made += count;
        p.used += count;
        left_ -= count;
        break;
      }
    }
    if (left_ == 0) {
      state_ = state::header;
    }
  }
}

void zws_output::on_header() {
  header_size_ = 0;
  left_ = frame::declared_size(header_.data());
  const bool is_command = frame::has(header_[0], frame::command);
  if (is_command && !mechanism_) {
    state_ = std::exchange(routing_id_sent_, true) ? state::dropped : state::ready;
    return;
  }
  begin(opcode::binary, left_ + 1);
  const auto flags = is_command                            ? zws::command
                     : frame::has(header_[0], frame::more) ? zws::more
                                                           : zws::last;
  append({&flags, 1});
  state_ = left_ == 0 ? state::header : state::body;
}

void zws_output::on_ready() {
  const auto ready = command::split(command_);
  const auto properties = metadata::parse(ready ? ready->data : std::string_view{}, limits{});
  const auto* const id = properties ? properties->find("Identity") : nullptr;
  begin(opcode::binary, 1 + (id != nullptr ? id->size() : 0));
  append({&zws::last, 1});
  if (id != nullptr) {
    append(zws::bytes_of(*id));
  }
  command_ = {};
  state_ = state::header;
}

void zws_output::close(std::uint16_t status) {
  close_ = {static_cast<char>(status >> 8U), static_cast<char>(status & 0xFFU)};
}

void zws_output::put_control() {
  for (auto* const payload : {&pong_, &close_}) {
    if (const auto what = std::exchange(*payload, std::nullopt)) {
      begin(payload == &pong_ ? opcode::pong : opcode::close, what->size());
      append(zws::bytes_of(*what));
    }
  }
}

void zws_output::begin(opcode code, std::uint64_t payload) {
  const bool masks = own_ == websocket::side::client;
  key_ = masks ? draw() : websocket::mask_key{};
  offset_ = 0;
  std::array<std::byte, websocket::max_header_size> header{};
  const auto* const end =
      websocket::put_header(header.data(), code, payload, masks ? &key_ : nullptr);
  made_.append(reinterpret_cast<const char*>(header.data()),
               static_cast<std::size_t>(end - header.data()));
}

void zws_output::append(std::span<const std::byte> payload) {
  const auto at = made_.size();
  made_.resize(at + payload.size());
  websocket::mask(reinterpret_cast<std::byte*>(made_.data()) + at, payload, key_, offset_);
  offset_ += payload.size();
}

websocket::mask_key zws_output::draw() {
  if (keys_.empty()) {
    // If random_() throws, no key is left.
    std::vector<websocket::mask_key> drawn(keys_at_once);
    random_(std::as_writable_bytes(std::span{drawn}));
    keys_ = std::move(drawn);
  }
  const auto key = keys_.back();
  keys_.pop_back();
  return key;
}

}  // namespace zmtp
