#include "bench/nats/protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace bench::nats {
namespace {

constexpr std::string_view line_break = "\r\n";
constexpr std::string_view blanks = " \t";
// More than the longest INFO of a server, and than the largest payload that one can be set to.
constexpr std::size_t longest_line = 64 * 1024;
constexpr std::size_t largest_payload = 64 * 1024 * 1024;
// Room for the rest of a line.
constexpr std::size_t usual_line = 4096;

constexpr fault malformed{"the server sent a line that is not of the protocol"};

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits{};
  out.append(digits.data(),
             std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

// Takes the first field off.
std::string_view next_field(std::string_view& fields) {
  fields.remove_prefix(std::min(fields.find_first_not_of(blanks), fields.size()));
  const auto field = fields.substr(0, fields.find_first_of(blanks));
  fields.remove_prefix(field.size());
  return field;
}

// `command` is in capitals, and servers may write it in others.
bool is(std::string_view word, std::string_view command) {
  return std::ranges::equal(word, command, {}, [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
}

}  // namespace

void append_subscribe(std::string& out, std::string_view subject) {
  out.append("SUB ").append(subject).append(" 1").append(line_break);
}

void append_publish(std::string& out, std::string_view subject, std::string_view reply_to,
                    std::string_view payload) {
  out.append("PUB ").append(subject).append(" ");
  if (!reply_to.empty()) {
    out.append(reply_to).append(" ");
  }
  append_number(out, payload.size());
  out.append(line_break).append(payload).append(line_break);
}

std::span<char> parser::room() {
  if (begin_ == end_ || needed_ > buffer_.size() - begin_) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (needed_ > buffer_.size()) {
      buffer_.resize(needed_);
    }
  }
  return std::span{buffer_}.subspan(end_);
}

std::optional<event> parser::next() {
  const std::string_view rest{buffer_.data() + begin_, end_ - begin_};
  const auto length = rest.find('\n');
  if (length == std::string_view::npos) {
    if (rest.size() > longest_line) {
      return malformed;
    }
    needed_ = rest.size() + usual_line;
    return {};
  }
  if (length == 0 || rest[length - 1] != '\r') {
    return malformed;
  }
  auto fields = rest.substr(0, length - 1);
  const auto command = next_field(fields);
  if (is(command, "MSG")) {
    return parse_message(fields, length + 1);
  }
  begin_ += length + 1;
  if (is(command, "PING")) {
    return ping{};
  }
  if (is(command, "PONG")) {
    return pong{};
  }
  if (is(command, "INFO")) {
    return info{};
  }
  if (is(command, "-ERR")) {
    return fault{fields.substr(std::min(fields.find_first_not_of(blanks), fields.size()))};
  }
  // +OK is not here: CONNECT does without it.
  return malformed;
}

std::optional<event> parser::parse_message(std::string_view fields, std::size_t line_end) {
  message found;
  found.subject = next_field(fields);
  next_field(fields);  // the id of the only subscription
  auto last = next_field(fields);
  if (const auto fourth = next_field(fields); !fourth.empty()) {
    found.reply_to = last;
    last = fourth;
  }
  std::size_t size = 0;
  const char* const last_end = last.data() + last.size();
  const auto parsed = std::from_chars(last.data(), last_end, size);
  if (last.empty() || parsed.ec != std::errc{} || parsed.ptr != last_end ||
      size > largest_payload || !next_field(fields).empty()) {
    return malformed;
  }
  needed_ = line_end + size + line_break.size();
  if (needed_ > end_ - begin_) {
    return {};
  }
  const std::string_view rest{buffer_.data() + begin_ + line_end, size + line_break.size()};
  if (!rest.ends_with(line_break)) {
    return malformed;
  }
  found.payload = rest.substr(0, size);
  begin_ += needed_;
  return found;
}

}  // namespace bench::nats
