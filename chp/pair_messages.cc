#include "chp/pair_messages.h"

#include "chp/network_order.h"

#include <cstddef>
#include <string>
#include <utility>

namespace chp {

namespace {

using namespace std::string_view_literals;

constexpr auto hello_name = "CHP-HELLO"sv;
constexpr auto follow_name = "CHP-FOLLOW"sv;
constexpr auto copy_name = "CHP-COPY"sv;
constexpr auto copy_end_name = "CHP-COPY-END"sv;
constexpr auto entries_name = "CHP-ENTRIES"sv;
constexpr auto confirm_name = "CHP-CONFIRM"sv;

// Takes the frames of a message in order. The first fault stays.
class frame_reader {
public:
  explicit frame_reader(const zmtp::message& m) noexcept : at_{m.begin()}, end_{m.end()} {}

  [[nodiscard]] std::string_view text() noexcept {
    if (at_ == end_) {
      fail(errc::wrong_frame_count);
      return {};
    }
    const auto frame = *at_;
    ++at_;
    return frame;
  }
  [[nodiscard]] std::uint64_t number() noexcept {
    const auto frame = text();
    if (frame.size() != 8) {
      fail(errc::wrong_number_size);
      return 0;
    }
    return load_u64(frame);
  }
  [[nodiscard]] sequence place() noexcept {
    const auto found = number();
    if (found > max_sequence) {
      fail(errc::sequence_too_large);
    }
    return found;
  }
  [[nodiscard]] std::uint8_t kind(std::uint8_t first, std::uint8_t last) noexcept {
    const auto frame = text();
    if (frame.size() == 1) {
      const auto found = static_cast<std::uint8_t>(frame.front());
      if (found >= first && found <= last) {
        return found;
      }
    }
    fail(errc::malformed_piece);
    return first;
  }
  [[nodiscard]] bool flag() noexcept { return kind(0, 1) == 1; }
  [[nodiscard]] lineage reigns() {
    auto found = lineage::parse(text());
    if (!found) {
      fail(found.error());
      return {};
    }
    return *std::move(found);
  }
  template <class T>
  [[nodiscard]] parsed<pair_message> result(T&& value) {
    if (at_ != end_) {
      fail(errc::wrong_frame_count);
    }
    if (fault_ != errc{}) {
      return fault_;
    }
    return pair_message{std::forward<T>(value)};
  }

private:
  void fail(errc why) noexcept { fault_ = fault_ == errc{} ? why : fault_; }

  zmtp::message::const_iterator at_;
  zmtp::message::const_iterator end_;
  errc fault_{};
};

void add(zmtp::message& to, std::uint64_t number) { to.push_back(network_number{number}.bytes()); }

void add(zmtp::message& to, const lineage& reigns) {
  std::string bytes;
  reigns.append_to(bytes);
  to.push_back(bytes);
}

void add_kind(zmtp::message& to, std::uint8_t kind) {
  const char byte = static_cast<char>(kind);
  to.push_back(std::string_view{&byte, 1});
}

}  // namespace

// In a braced list, the members are evaluated in order.
parsed<pair_message> parse_pair_message(const zmtp::message& m) {
  frame_reader in{m};
  const auto name = in.text();
  if (name == entries_name) {
    return in.result(entries{in.number(), in.place(), in.text()});
  }
  if (name == confirm_name) {
    return in.result(confirmation{in.number(), in.place()});
  }
  if (name == copy_name) {
    return in.result(copy_piece{in.number(), static_cast<copied>(in.kind(1, 4)), in.text()});
  }
  if (name == copy_end_name) {
    return in.result(copy_end{in.number(), in.place(), in.place(), in.reigns()});
  }
  if (name == hello_name) {
    return in.result(
        hello{in.number(), in.place(), in.place(), in.flag(), in.number(), in.reigns(), in.flag()});
  }
  if (name == follow_name) {
    return in.result(follow{in.number(), in.place(), in.place(), in.place(), in.flag(), in.flag()});
  }
  return errc::unknown_command;
}

bool is_pair_message(const zmtp::message& m) noexcept {
  return !m.empty() && m.front().starts_with("CHP-"sv);
}

zmtp::message make_message(const hello& of) {
  zmtp::message m{hello_name};
  add(m, of.greeting);
  add(m, of.end);
  add(m, of.durable);
  add_kind(m, of.lacks_data ? 1 : 0);
  add(m, of.member);
  add(m, of.reigns);
  add_kind(m, of.has_store ? 1 : 0);
  return m;
}

zmtp::message make_message(const follow& of) {
  zmtp::message m{follow_name};
  add(m, of.greeting);
  add(m, of.common);
  add(m, of.needed);
  add(m, of.start);
  add_kind(m, of.is_copy ? 1 : 0);
  add_kind(m, of.has_store ? 1 : 0);
  return m;
}

zmtp::message make_message(const copy_piece& of) {
  zmtp::message m{copy_name};
  add(m, of.greeting);
  add_kind(m, static_cast<std::uint8_t>(of.kind));
  m.push_back(of.rows);
  return m;
}

zmtp::message make_message(const copy_end& of) {
  zmtp::message m{copy_end_name};
  add(m, of.greeting);
  add(m, of.commit);
  add(m, of.forgotten);
  add(m, of.reigns);
  return m;
}

zmtp::message make_message(const entries& of) {
  zmtp::message m{entries_name};
  add(m, of.greeting);
  add(m, of.commit);
  m.push_back(of.records);
  return m;
}

zmtp::message make_message(const confirmation& of) {
  zmtp::message m{confirm_name};
  add(m, of.greeting);
  add(m, of.durable);
  return m;
}

}  // namespace chp
