#include "tools/zinc/dump/stream_decoder.h"

#include "zmtp/frame.h"
#include "zmtp/greeting.h"
#include "zmtp/message.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

namespace zinc::dump {

namespace {

constexpr std::string_view curve_message{"\x07MESSAGE"};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

}  // namespace

void stream_decoder::feed(std::string_view bytes) {
  bytes_ += bytes.size();
  // Here, and in the functions called, the bytes that are left end at `bytes_`.
  while (!bytes.empty() && stage_ != stage::over) {
    if (stage_ == stage::greeting) {
      take_greeting(bytes);
    } else if (!in_body_) {
      take_header(bytes);
    } else {
      take_body(bytes);
    }
  }
}

void stream_decoder::lose(std::uint64_t bytes) {
  if (stage_ != stage::over) {
    fail(bytes_, fmt::format("{} bytes missing", bytes));
  }
}

void stream_decoder::finish() {
  if (stage_ == stage::over) {
    return;
  }
  const bool in_greeting = stage_ == stage::greeting && !kept_.empty();
  if (in_greeting || header_size_ != 0) {
    fail(bytes_, in_greeting ? "the stream ends inside the greeting"
                             : fmt::format("the stream ends inside the frame at {}", frame_at_));
  } else if (part_count_ != 0) {
    fail(bytes_, fmt::format("the stream ends inside the message at {}", message_at_));
  }
  stage_ = stage::over;
}

// One byte at a time, so that the place of a fault does not depend on the pieces.
void stream_decoder::take_greeting(std::string_view& bytes) {
  using namespace zmtp::greeting;
  while (!bytes.empty()) {
    kept_ += bytes.front();
    bytes.remove_prefix(1);
    const auto ec = check(bytes_of(kept_), "NULL");
    if (ec && ec != zmtp::errc::mechanism_mismatch) {
      fail(kept_.size() - 1, ec.message());
      return;
    }
    if (kept_.size() < size) {
      continue;
    }
    const auto name = mechanism(bytes_of(kept_));
    mechanism_ = mechanism_of(name);
    auto made = make(record_kind::greeting, 0);
    made.fields.push_back({"version", fmt::format("3.{}", peer_version(bytes_of(kept_)).minor)});
    made.fields.push_back({"mechanism", std::string{name}});
    stage_ = mechanism_ == mechanism_kind::other ? stage::opaque : stage::handshake;
    kept_.clear();
    sink_(std::move(made));
    return;
  }
}

void stream_decoder::take_header(std::string_view& bytes) {
  if (header_size_ == 0) {
    frame_at_ = bytes_ - bytes.size();
  }
  header_[header_size_++] = static_cast<std::byte>(bytes.front());
  bytes.remove_prefix(1);
  if (header_size_ < 2) {
    return;
  }
  auto& flags = header_[0];
  // As the decoder of the sockets does: reserved bits mean nothing, and libzmq omits the flag of a
  // long size in some commands.
  flags &= zmtp::frame::more | zmtp::frame::long_size | zmtp::frame::command;
  if (zmtp::frame::has(flags, zmtp::frame::command) && header_[1] == std::byte{0}) {
    flags |= zmtp::frame::long_size;
  }
  if (header_size_ == zmtp::frame::header_size(flags)) {
    on_header();
  }
}

void stream_decoder::on_header() {
  using namespace zmtp;
  const auto flags = header_[0];
  body_size_ = frame::declared_size(header_.data());
  if (frame::has(flags, frame::command) && frame::has(flags, frame::more)) {
    fail(frame_at_, make_error_code(errc::bad_frame_flags).message());
  } else if (body_size_ >> 63 != 0) {
    fail(frame_at_, make_error_code(errc::bad_frame_size).message());
  } else if (stage_ == stage::handshake && !frame::has(flags, frame::command)) {
    fail(frame_at_, make_error_code(errc::unexpected_command).message());
  } else if (stage_ == stage::handshake && body_size_ > kept_of_command) {
    fail(frame_at_, make_error_code(errc::command_too_large).message());
  } else {
    kept_.clear();
    missing_ = body_size_;
    in_body_ = true;
    if (missing_ == 0) {
      on_frame();
    }
  }
}

std::size_t stream_decoder::kept_size() const noexcept {
  if (zmtp::frame::has(header_[0], zmtp::frame::command)) {
    return kept_of_command;
  }
  return stage_ == stage::traffic ? std::max(options_.bodies, kept_for_recognizer)
                                  : curve_message.size();
}

void stream_decoder::take_body(std::string_view& bytes) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, bytes.size()));
  const auto room = kept_size() - std::min(kept_.size(), kept_size());
  kept_.append(bytes.substr(0, std::min(size, room)));
  bytes.remove_prefix(size);
  missing_ -= size;
  if (missing_ == 0) {
    on_frame();
  }
}

void stream_decoder::on_frame() {
  in_body_ = false;
  header_size_ = 0;
  if (stage_ == stage::encrypted) {
    on_encrypted();
  } else if (zmtp::frame::has(header_[0], zmtp::frame::command)) {
    on_command();
  } else {
    on_part();
  }
}

void stream_decoder::on_command() {
  auto made = make(record_kind::command, frame_at_);
  if (stage_ == stage::opaque || body_size_ > kept_of_command) {
    made.name = "command";
    made.fields.push_back({"size", body_size_});
    sink_(std::move(made));
    return;
  }
  zmtp::error_code ec;
  if (stage_ == stage::traffic) {
    ec = add_traffic_command(made, kept_);
  } else if (const auto named = zmtp::command::split(kept_)) {
    std::optional<zmtp::metadata> announced;
    ec = add_handshake_command(made, mechanism_, *named, announced);
    if (announced) {
      recognizer_.on_metadata(from_, *announced);
    }
    if (named->name == "READY" || named->name == "INITIATE") {
      stage_ = mechanism_ == mechanism_kind::curve ? stage::encrypted : stage::traffic;
    }
  } else {
    ec = named.error();
  }
  if (ec) {
    fail(frame_at_, ec.message());
  } else {
    sink_(std::move(made));
  }
}

void stream_decoder::on_encrypted() {
  auto made = make(record_kind::command, frame_at_);
  // RFC 26 sends MESSAGE with the flag of a command, and libzmq without.
  const bool is_message = kept_.starts_with(curve_message);
  if (!is_message && !zmtp::frame::has(header_[0], zmtp::frame::command)) {
    fail(frame_at_, make_error_code(zmtp::errc::unexpected_command).message());
    return;
  }
  made.name = is_message ? "MESSAGE" : "command";
  made.fields.push_back({"size", body_size_});
  sink_(std::move(made));
}

void stream_decoder::on_part() {
  if (part_count_ == 0) {
    message_at_ = frame_at_;
  }
  if (parts_.size() < kept_parts) {
    parts_.push_back({body_size_, stage_ == stage::traffic ? kept_ : std::string{}});
  }
  ++part_count_;
  if (!zmtp::frame::has(header_[0], zmtp::frame::more)) {
    on_message();
  }
}

void stream_decoder::on_message() {
  auto made = make(record_kind::message, message_at_);
  made.parts = std::move(parts_);
  made.more_parts = part_count_ - made.parts.size();
  parts_.clear();
  part_count_ = 0;
  if (stage_ == stage::traffic) {
    zmtp::message whole;
    for (const auto& one : made.parts) {
      whole.push_back(one.start);
    }
    if (auto found = recognizer_.look(from_, whole, made.parts.back().size)) {
      made.name = std::move(found->name);
      made.fields = std::move(found->fields);
    }
  }
  for (auto& one : made.parts) {
    one.start.resize(std::min(one.start.size(), options_.bodies));
  }
  sink_(std::move(made));
}

void stream_decoder::fail(std::uint64_t offset, std::string text) {
  stage_ = stage::over;
  auto made = make(record_kind::fault, offset);
  made.name = std::move(text);
  kept_ = {};
  parts_ = {};
  sink_(std::move(made));
}

record stream_decoder::make(record_kind kind, std::uint64_t offset) const {
  record made;
  made.kind = kind;
  made.from = from_;
  made.offset = offset;
  return made;
}

}  // namespace zinc::dump
