#include "zmtp/conversation/frame_reader.h"

namespace zmtp {

namespace {

// Each command costs as much as a message of many bytes. After a peer has sent more than this in
// one read, its reads become short, so that others on the executor do not wait.
constexpr unsigned many_commands = 32;
constexpr std::size_t short_read = 1024;

}  // namespace

std::span<std::byte> frame_reader::prepare(std::size_t ahead) {
  const auto needed = in_one_piece();
  const auto to_come = needed - pending();
  const auto to = buffer_.prepare(needed);
  if (std::exchange(commands_, 0) > many_commands) {
    longest_read_ = short_read;
  }
  // A peer that is not admitted yet must not fill a buffer.
  const auto most =
      traffic_ ? std::max(std::min(ahead, longest_read_), to_come) : limit_->handshake_command_size;
  return to.first(std::min(to.size(), most));
}

void frame_reader::commit(std::size_t count) noexcept {
  if (framing_ == nullptr) {
    buffer_.commit(count);
  } else {
    buffer_.commit_raw(count);
    map_raw();
  }
  // Reads grow back to the usual size, unless many commands follow.
  longest_read_ = std::min(longest_read_ * 2, usual_read);
}

void frame_reader::start_traffic(framing* form) noexcept {
  traffic_ = true;
  decoder_.handshake_done();
  framing_ = form;
  if (form != nullptr) {
    buffer_.make_raw();
    map_raw();
  }
}

void frame_reader::map_raw() noexcept {
  const auto raw = buffer_.raw();
  if (raw.empty() || fault_) {
    return;
  }
  const auto [used, made, fault] = framing_->read(raw, raw);
  buffer_.mapped(used, made);
  fault_ = fault;
}

std::string_view frame_reader::take_command() noexcept {
  buffer_.set_aside(decoder_.size());
  const auto whole = buffer_.undecoded().first(decoder_.command_size());
  const auto body = whole.subspan(frame::header_size(whole[0]));
  buffer_.skip(whole.size());
  decoder_.command_taken();
  return {reinterpret_cast<const char*>(body.data()), body.size()};
}

}  // namespace zmtp
