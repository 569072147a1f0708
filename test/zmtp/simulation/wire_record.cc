#include "test/zmtp/simulation/wire_record.h"

#include <algorithm>
#include <array>
#include <optional>

namespace zmtp::simulation {

namespace {

constexpr std::size_t position_of(end_of_stream e) noexcept { return static_cast<std::size_t>(e); }

// Returns the topic if this is the body of a command of this name.
std::optional<std::string_view> data_of(std::string_view body, std::string_view name) noexcept {
  const bool same = body.size() > name.size() &&
                    static_cast<unsigned char>(body.front()) == name.size() &&
                    body.substr(1).starts_with(name);
  return same ? std::optional{body.substr(1 + name.size())} : std::nullopt;
}

struct heard final : wire_tap::listener {
  heard(wire& direction, wire_record::listener& record) : on{direction}, to{record} {}

  void on_message(std::span<const std::string_view> parts, std::size_t end) override {
    to.on_written(on, parts, end);
  }
  void on_command(std::string_view body, std::size_t end) override {
    if (const auto begun = data_of(body, "SUBSCRIBE")) {
      on.unread.push_back({true, std::string{*begun}, end});
    } else if (const auto ended = data_of(body, "CANCEL")) {
      on.unread.push_back({false, std::string{*ended}, end});
    }
  }

  wire& on;
  wire_record::listener& to;
};

}  // namespace

std::size_t wire::came() const noexcept {
  return static_cast<std::size_t>(
      std::upper_bound(messages.begin(), messages.end(), read,
                       [](std::size_t bytes, const written& m) { return bytes < m.end; }) -
      messages.begin());
}

wire_record::wire_record(simulated_network& net, listener& to) : to_{to} {
  net.observe(this);
  net.on_stream([this](virtual_connection& opened) { open(opened); });
}

void wire_record::open(virtual_connection& connection) {
  auto& [out, back] = wires_[connection.id()];
  const auto connecting = numbers_.at(&connection.host(end_of_stream::connecting));
  const auto accepting = numbers_.at(&connection.host(end_of_stream::accepting));
  out.connection = back.connection = connection.shared_from_this();
  out.writer = back.reader = connecting;
  out.reader = back.writer = accepting;
  out.of_writer = endpoint_of(accepting);
  back.of_writer = connection.id();
}

wire* wire_record::written_by(std::uint32_t number, std::uint64_t stream) {
  const auto known = wires_.find(stream);
  return known == wires_.end() ? nullptr
                               : &known->second[known->second[0].writer == number ? 0 : 1];
}

wire* wire_record::read_by(std::uint32_t number, std::uint64_t stream) {
  const auto known = wires_.find(stream);
  return known == wires_.end() ? nullptr
                               : &known->second[known->second[0].reader == number ? 0 : 1];
}

void wire_record::on_written(std::uint64_t stream, end_of_stream from,
                             std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  auto& on = wires_.at(stream)[position_of(from)];
  heard to{on, to_};
  if (edit_) {
    std::string edited{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    edit_(edited);
    on.tap.hear(std::as_bytes(std::span{edited}), to);
  } else {
    on.tap.hear(bytes, to);
  }
  if (on.tap.garbled()) {
    to_.on_garbled(on);
  }
}

void wire_record::on_read(std::uint64_t stream, end_of_stream at, std::size_t count) {
  auto& on = wires_.at(stream)[position_of(other(at))];
  on.read += count;
  while (!on.unread.empty() && on.unread.front().end <= on.read) {
    const auto taken = std::move(on.unread.front());
    on.unread.pop_front();
    to_.on_subscription(on, taken.begins, taken.topic);
  }
}

}  // namespace zmtp::simulation
