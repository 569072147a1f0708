#include "bench/limits/idle_peer.h"

#include "bench/support/arguments.h"

#include <array>

namespace bench::limits {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t greeting_size = 64;
constexpr auto signature = "\xff\0\0\0\0\0\0\0\1\x7f"sv;
constexpr auto version = "\3\1"sv;
constexpr auto mechanism = "NULL"sv;
constexpr std::size_t major_version_at = 10;
constexpr std::size_t mechanism_at = 12;

constexpr auto ready_command = "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\6DEALER"sv;
constexpr auto ready_name = "\x05READY"sv;
constexpr auto ping_name = "\x04PING"sv;
constexpr auto pong_name = "\x04PONG"sv;
constexpr std::size_t time_to_live_size = 2;

constexpr auto message_body = "idle"sv;

constexpr char more_flag = 1;
constexpr char command_flag = 4;
constexpr std::size_t short_header = 2;

std::string frame(char flags, std::string_view body) {
  return std::string{flags, static_cast<char>(body.size())}.append(body);
}

[[noreturn]] void fail_closed() {
  fail("the router closed a connection: does it allow as many, and descriptors for them?");
}

}  // namespace

void idle_peer::start() {
  std::string greeting{signature};
  greeting += version;
  greeting += mechanism;
  greeting.resize(greeting_size, '\0');
  write(greeting);
}

void idle_peer::send_message() {
  if (socket_.number() < 0) {
    fail_closed();
  }
  write(frame(0, message_body));
  phase_ = phase::echo;
}

bool idle_peer::on_readable() {
  std::array<std::byte, 4096> scratch;
  const auto length = read_some(socket_, scratch);
  if (!length) {
    return false;
  }
  if (*length == 0) {
    if (phase_ != phase::idle) {
      fail_closed();
    }
    // A router that has no more to echo may end before the other connections have theirs.
    socket_ = descriptor{};
    return false;
  }
  unread_.append(reinterpret_cast<const char*>(scratch.data()), *length);
  const bool echo_was_missing = phase_ != phase::idle;
  while (phase_ == phase::greeting ? take_greeting() : take_frame()) {
  }
  // An idle connection owns no memory here, for thousands are open.
  if (unread_.empty()) {
    unread_.shrink_to_fit();
  }
  return echo_was_missing && phase_ == phase::idle;
}

bool idle_peer::take_greeting() {
  if (unread_.size() < greeting_size) {
    return false;
  }
  const std::string_view theirs{unread_};
  if (theirs[0] != signature.front() || theirs[major_version_at] < version.front() ||
      !theirs.substr(mechanism_at).starts_with(mechanism)) {
    fail("the other side does not greet with ZMTP 3 and NULL: start a router at this endpoint");
  }
  unread_.erase(0, greeting_size);
  write(ready_command);
  phase_ = phase::handshake;
  return true;
}

bool idle_peer::take_frame() {
  if (unread_.size() < short_header) {
    return false;
  }
  const char flags = unread_[0];
  if ((flags & ~(command_flag | more_flag)) != 0) {
    fail("a long frame arrived, but only echoes and commands of a few bytes are expected");
  }
  const std::size_t size = static_cast<unsigned char>(unread_[1]);
  if (unread_.size() < short_header + size) {
    return false;
  }
  const std::string body = unread_.substr(short_header, size);
  unread_.erase(0, short_header + size);
  if ((flags & command_flag) != 0) {
    on_command(body);
  } else {
    on_message(body);
  }
  return true;
}

void idle_peer::on_command(std::string_view body) {
  if (body.starts_with(ready_name) && phase_ == phase::handshake) {
    send_message();
  } else if (body.starts_with(ping_name) && body.size() >= ping_name.size() + time_to_live_size) {
    std::string answer{pong_name};
    answer += body.substr(ping_name.size() + time_to_live_size);
    write(frame(command_flag, answer));
  }
}

void idle_peer::on_message(std::string_view body) {
  if (phase_ != phase::echo || body != message_body) {
    fail("a message came that is not the echo of ours: start idle_router at this endpoint");
  }
  phase_ = phase::idle;
}

void idle_peer::write(std::string_view bytes) {
  // So little always fits into the system's buffer of a connection that is idle.
  if (write_some(socket_, std::as_bytes(std::span{bytes})) != bytes.size()) {
    fail("the router does not read what an idle connection sends");
  }
}

}  // namespace bench::limits
