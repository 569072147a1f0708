#include "zmtp/pattern/pirate_message.h"

namespace zmtp {

namespace {

using namespace std::string_view_literals;

constexpr auto ready_body = "\1"sv;
constexpr auto heartbeat_body = "\2"sv;

}  // namespace

std::optional<pirate_kind> parse_pirate(message& m, pirate_protocol how) noexcept {
  if (how == pirate_protocol::simple) {
    if (m.size() < 2 || !m.front().empty()) {
      return std::nullopt;
    }
    m.pop_front();
  }
  if (m.size() == 1) {
    if (m.front() == ready_body) {
      return pirate_kind::ready;
    }
    if (m.front() == heartbeat_body && how == pirate_protocol::paranoid) {
      return pirate_kind::heartbeat;
    }
    return std::nullopt;
  }
  // Without an address, the request cannot be answered.
  return envelope_size(m) >= 2 ? std::optional{pirate_kind::request} : std::nullopt;
}

message make_ready(pirate_protocol how) {
  return how == pirate_protocol::simple ? message{""sv, ready_body} : message{ready_body};
}

message make_heartbeat() { return message{heartbeat_body}; }

std::size_t envelope_size(const message& m) noexcept {
  std::size_t size = 0;
  for (const auto part : m) {
    ++size;
    if (part.empty()) {
      return size < m.size() ? size : 0;
    }
  }
  return 0;
}

message take_front(message& m, std::size_t parts) {
  message taken;
  for (; parts != 0; --parts) {
    taken.push_back(m.front());
    m.pop_front();
  }
  return taken;
}

void wrap_pirate(message& body, const message& envelope, pirate_protocol how) {
  body.prepend(envelope);
  if (how == pirate_protocol::simple) {
    body.push_front({});
  }
}

}  // namespace zmtp
