#include "test/zmtp/simulation/wire_tap.h"

namespace zmtp::simulation {

namespace {

constexpr std::size_t greeting_size = 64;
constexpr unsigned more = 1;
constexpr unsigned long_form = 2;
constexpr unsigned command = 4;

}  // namespace

void wire_tap::hear(std::span<const std::byte> bytes, listener& to) {
  received_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!greeted_) {
    if (received_.size() < greeting_size) {
      return;
    }
    greeted_ = true;
    at_ = greeting_size;
  }
  while (!garbled_ && take_frame(to)) {
  }
  if (parts_.empty()) {
    received_.erase(0, at_);
    dropped_ += at_;
    at_ = 0;
  }
}

bool wire_tap::take_frame(listener& to) {
  if (at_ == received_.size()) {
    return false;
  }
  const auto flags = static_cast<unsigned char>(received_[at_]);
  if (flags > (command | long_form) || (flags & (command | more)) == (command | more) ||
      ((flags & command) != 0 && !parts_.empty())) {
    garbled_ = true;
    return false;
  }
  const std::size_t size_bytes = (flags & long_form) != 0 ? 8 : 1;
  if (received_.size() - at_ < 1 + size_bytes) {
    return false;
  }
  std::size_t size = 0;
  for (std::size_t i = 0; i < size_bytes; ++i) {
    size = size << 8 | static_cast<unsigned char>(received_[at_ + 1 + i]);
  }
  const auto begin = at_ + 1 + size_bytes;
  if (received_.size() - begin < size) {
    return false;
  }
  at_ = begin + size;
  if ((flags & command) != 0) {
    to.on_command(std::string_view{received_}.substr(begin, size), dropped_ + at_);
    return true;
  }
  parts_.push_back({begin, size});
  if ((flags & more) == 0) {
    std::vector<std::string_view> message;
    message.reserve(parts_.size());
    for (const auto& part : parts_) {
      message.push_back(std::string_view{received_}.substr(part.begin, part.size));
    }
    to.on_message(message, dropped_ + at_);
    parts_.clear();
  }
  return true;
}

}  // namespace zmtp::simulation
