#include "test/zmtp/simulation/wire_record.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace zmtp::simulation {

namespace {

// Returns the topic if this is the body of a command of this name.
std::optional<std::string_view> data_of(std::string_view body, std::string_view name) noexcept {
  const bool same = body.size() > name.size() &&
                    static_cast<unsigned char>(body.front()) == name.size() &&
                    body.substr(1).starts_with(name);
  return same ? std::optional{body.substr(1 + name.size())} : std::nullopt;
}

struct heard final : wire_tap::listener {
  heard(wire& direction, wire_record::listener& record) : on{direction}, to{record} {}

  // ZMTP 3.0, and so WebSocket, has no commands for subscriptions. No parcel looks like one.
  void on_message(std::span<const std::string_view> parts, std::size_t end) override {
    const auto only = parts.size() == 1 ? parts.front() : std::string_view{};
    if (only.starts_with('\0') || only.starts_with('\1')) {
      on.unread.push_back({only.front() == '\1', std::string{only.substr(1)}, end});
    } else {
      to.on_written(on, parts, end);
    }
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

// Records the bytes that a socket writes and reads.
class wire_record::observed_stream final : public stream_over {
public:
  observed_stream(std::unique_ptr<transport::stream> below, wire_record& to, wire& out, wire& in)
      : stream_over{std::move(below)}, to_{to}, out_{out}, in_{in} {}

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override {
    const auto count = stream_over::read_some(to, ec);
    to_.on_read(in_, count);
    return count;
  }
  [[nodiscard]] std::size_t write_some(std::span<const piece> pieces,
                                       error_code& ec) noexcept override {
    const auto count = stream_over::write_some(pieces, ec);
    std::string bytes;
    for (const auto& p : pieces) {
      const auto taken = std::min(p.size(), count - bytes.size());
      bytes.append(reinterpret_cast<const char*>(p.data()), taken);
    }
    to_.on_written(out_, std::move(bytes));
    return count;
  }

private:
  wire_record& to_;
  wire& out_;
  wire& in_;
};

wire_record::wire_record(simulated_network& net, listener& to) : to_{to} {
  net.on_stream([this](virtual_connection& opened) { open(opened); });
}

void wire_record::add(process& of, std::uint32_t number, false_layer layer) {
  numbers_[&of.machine()] = number;
  of.wrap_streams([this, number, layer = std::move(layer)](std::unique_ptr<transport::stream> whole,
                                                           std::uint64_t stream) {
    return std::make_unique<observed_stream>(layer ? layer(std::move(whole)) : std::move(whole),
                                             *this, *written_by(number, stream),
                                             *read_by(number, stream));
  });
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

void wire_record::on_written(wire& on, std::string bytes) {
  bytes_ += bytes.size();
  on.put += bytes.size();
  if (edit_) {
    edit_(bytes);
  }
  heard to{on, to_};
  on.tap.hear(std::as_bytes(std::span{bytes}), to);
  if (on.tap.garbled()) {
    to_.on_garbled(on);
  }
}

void wire_record::on_read(wire& on, std::size_t count) {
  on.read += count;
  while (!on.unread.empty() && on.unread.front().end <= on.read) {
    const auto taken = std::move(on.unread.front());
    on.unread.pop_front();
    to_.on_subscription(on, taken.begins, taken.topic);
  }
}

}  // namespace zmtp::simulation
