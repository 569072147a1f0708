#include "chp/command.h"

#include "chp/network_order.h"
#include "zmtp/buffer/block.h"
#include "zmtp/frame.h"

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace chp {

namespace {

using namespace std::string_view_literals;

constexpr auto icanhaz = "ICANHAZ?"sv;
constexpr auto kthxbai = "KTHXBAI"sv;
constexpr auto hugz = "HUGZ"sv;
constexpr auto lineage_name = "LINEAGE"sv;
constexpr auto forbidden_name = "FORBIDDEN"sv;

constexpr errc none{};

constexpr std::size_t kvmsg_frames = 5;
constexpr std::size_t kvsimple_frames = 3;
constexpr std::size_t lineage_frames = 3;
constexpr std::size_t forbidden_frames = 2;  // as no form has

std::uint64_t load(std::string_view bytes) noexcept {
  return bytes.size() == 8 ? load_u64(bytes) : load_u32(bytes);
}

// The frames of a form, the key unseen.
struct frames {
  std::string_view key;
  std::string_view number;
  std::string_view id;
  std::string_view properties;
  std::string_view value;
};

parsed<frames> take_frames(const message_parts& m, form how) noexcept {
  const bool is_kvmsg = how == form::kvmsg;
  if (m.size() != (is_kvmsg ? kvmsg_frames : kvsimple_frames)) {
    return errc::wrong_frame_count;
  }
  return is_kvmsg ? frames{m[0], m[1], m[2], m[3], m[4]} : frames{m[0], m[1], {}, {}, m[2]};
}

errc check_contents(const frames& f, std::size_t most_properties,
                    const command_limits& limits) noexcept {
  return f.id.size() > max_id_size                ? errc::id_too_long
         : f.properties.size() > most_properties  ? errc::properties_too_long
         : f.value.size() > limits.max_value_size ? errc::value_too_long
                                                  : none;
}

bool is_sequence_size(std::size_t size, form how) noexcept {
  return size == 8 || (size == 4 && how != form::kvmsg);
}

// In the form in which it has come, which tells how wide the sender's sequences are.
form form_of(const frames& f, form how) noexcept {
  return how == form::kvmsg     ? form::kvmsg
         : f.number.size() == 4 ? form::kvsimple_4
                                : form::kvsimple_8;
}

parsed<update> make_update(const frames& f, form how, const command_limits& limits,
                           std::size_t most_properties = max_properties_size) noexcept {
  if (!is_sequence_size(f.number.size(), how)) {
    return errc::wrong_sequence_size;
  }
  if (const auto fault = check_key(f.key); fault != none) {
    return fault;
  }
  if (const auto fault = check_contents(f, most_properties, limits); fault != none) {
    return fault;
  }
  return update{form_of(f, how), f.key, load(f.number), f.id, f.properties, f.value};
}

parsed<snapshot_end> make_end(const frames& f, form how) noexcept {
  if (!is_sequence_size(f.number.size(), how)) {
    return errc::wrong_sequence_size;
  }
  const auto number = load(f.number);
  if (number > max_sequence) {
    return errc::sequence_too_large;
  }
  return snapshot_end{number, f.properties};
}

parsed<lineage_notice> take_lineage(const message_parts& m) {
  const auto rows = lineage::parse(m[1]);
  if (!rows) {
    return rows.error();
  }
  const auto end = m[2];
  if (end.size() != 8) {
    return errc::wrong_sequence_size;
  }
  if (load(end) > max_sequence) {
    return errc::sequence_too_large;
  }
  return lineage_notice{*rows, load(end)};
}

// Converts the result to a variant with more types.
template <class Variant, class T>
parsed<Variant> widen(parsed<T>&& one) {
  if (!one) {
    return one.error();
  }
  return Variant{std::move(*one)};
}

// One frame in up to two pieces.
struct frame_body {
  std::string_view first;
  std::string_view second = {};
  [[nodiscard]] std::size_t size() const noexcept { return first.size() + second.size(); }
};

std::byte* put(std::byte* to, std::string_view bytes) noexcept {
  if (!bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
  }
  return to + bytes.size();
}

void put_frames(std::byte* to, std::span<const frame_body> bodies) noexcept {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto& body = bodies[i];
    const auto flags = i + 1 < bodies.size() ? zmtp::frame::more : std::byte{0};
    to = put(put(zmtp::frame::put_header(to, flags, body.size()), body.first), body.second);
  }
}

// The frames are written once, where they stay: a part pushed at a time would be moved by the next.
zmtp::message assemble(std::span<const frame_body> bodies) {
  std::size_t size = 0;
  for (const auto& body : bodies) {
    size += zmtp::frame::header_size(body.size()) + body.size();
  }
  if (size <= zmtp::message::inline_capacity) {
    std::array<std::byte, zmtp::message::inline_capacity> run;
    put_frames(run.data(), bodies);
    return {zmtp::block_ptr{}, {run.data(), size}, bodies.size()};
  }
  const zmtp::block_ptr owner{zmtp::block::create(size)};
  put_frames(owner->data(), bodies);
  return {owner, {owner->data(), size}, bodies.size()};
}

template <class... Bodies>
zmtp::message make(const Bodies&... bodies) {
  const std::array<frame_body, sizeof...(Bodies)> all{frame_body{bodies}...};
  return assemble(all);
}

network_number written_number(form how, sequence number) noexcept {
  return network_number{number, how == form::kvsimple_4 ? 4U : 8U};
}

zmtp::message make_in(form how, std::string_view key, sequence number, std::string_view id,
                      frame_body properties, std::string_view value) {
  const auto written = written_number(how, number);
  if (how != form::kvmsg) {
    return make(key, written.bytes(), value);
  }
  const std::array<frame_body, kvmsg_frames> all{frame_body{key}, frame_body{written.bytes()},
                                                 frame_body{id}, properties, frame_body{value}};
  return assemble(all);
}

}  // namespace

zmtp::message message_parts::to_message() const {
  zmtp::message made;
  for (std::size_t i = 0; i != std::min(size_, most); ++i) {
    made.push_back(first_[i]);
  }
  return made;
}

zmtp::limits socket_limits(zmtp::limits own, const command_limits& of) noexcept {
  constexpr std::size_t beside = 256 * 1024;  // key, id, properties, headers, parts of a record
  const auto needed = std::min(of.max_value_size, 2 * largest_value) + beside;
  own.frame_size = std::max(own.frame_size, needed);
  own.message_size = std::max(own.message_size, needed);
  return own;
}

errc check_key(std::string_view key) noexcept {
  return key.empty()                  ? errc::key_empty
         : key.size() > max_key_size  ? errc::key_too_long
         : key == hugz                ? errc::key_reserved
         : key == kthxbai             ? errc::key_reserved
         : key.find('\0') != key.npos ? errc::key_with_zero
                                      : none;
}

parsed<std::string_view> parse_snapshot_request(const message_parts& m) {
  if (m.size() == 0 || m.size() > 2) {
    return errc::wrong_frame_count;
  }
  if (m[0] != icanhaz) {
    return errc::unknown_command;
  }
  return m.size() == 2 ? m[1] : ""sv;
}

parsed<update> parse_set(const message_parts& m, form how, const command_limits& limits) {
  const auto found = take_frames(m, how);
  return found ? make_update(*found, how, limits) : found.error();
}

rejected_set parse_rejected_set(const message_parts& m, form how) noexcept {
  const auto found = take_frames(m, how);
  return found && found->id.size() == update_id::size
             ? rejected_set{update_id::of_frame(found->id), found->properties}
             : rejected_set{};
}

parsed<snapshot_input> parse_snapshot(const message_parts& m, form how,
                                      const command_limits& limits) {
  if (how == form::kvmsg && m.size() == lineage_frames && m[0] == lineage_name) {
    return widen<snapshot_input>(take_lineage(m));
  }
  if (m.size() == forbidden_frames && m[0] == forbidden_name) {
    return snapshot_input{snapshot_forbidden{}};
  }
  const auto found = take_frames(m, how);
  if (!found) {
    return found.error();
  }
  if (found->key == kthxbai) {
    return widen<snapshot_input>(make_end(*found, how));
  }
  return widen<snapshot_input>(make_update(*found, how, limits));
}

parsed<publication_input> parse_publication(const message_parts& m, form how,
                                            const command_limits& limits) {
  const auto found = take_frames(m, how);
  if (!found) {
    return found.error();
  }
  if (found->key == hugz && how == form::kvmsg) {
    return heartbeat{found->properties};
  }
  auto change = make_update(*found, how, limits, max_published_properties_size);
  if (change && change->number > max_sequence) {
    return errc::sequence_too_large;
  }
  return widen<publication_input>(std::move(change));
}

zmtp::message make_snapshot_request(std::string_view subtree) { return make(icanhaz, subtree); }

zmtp::message make_snapshot_request() { return make(icanhaz); }

zmtp::message make_entry(form how, std::string_view key, sequence number, std::string_view id,
                         std::string_view properties, std::string_view value) {
  return make_in(how, key, number, id, {properties}, value);
}

zmtp::message make_snapshot_end(form how, sequence number, std::string_view subtree,
                                std::string_view properties) {
  return make_in(how, kthxbai, number, {}, {properties}, subtree);
}

zmtp::message make_set(form how, std::string_view key, const update_id& id,
                       std::string_view properties, std::string_view value,
                       std::string_view more_properties) {
  return make_in(how, key, 0, id.bytes(), {properties, more_properties}, value);
}

void append_publication(zmtp::message_batch& to, form how, std::string_view key, sequence number,
                        const update_id& id, std::string_view properties, std::string_view value) {
  const auto written = written_number(how, number);
  if (how == form::kvmsg) {
    to.append(key, written.bytes(), id.bytes(), properties, value);
  } else {
    to.append(key, written.bytes(), value);
  }
}

zmtp::message make_heartbeat(std::string_view properties) {
  return make_in(form::kvmsg, hugz, 0, {}, {properties}, {});
}

zmtp::message make_lineage(const lineage& rows, sequence end) {
  std::string bytes;
  rows.append_to(bytes);
  return make(lineage_name, bytes, network_number{end}.bytes());
}

zmtp::message make_snapshot_forbidden(std::string_view subtree) {
  return make(forbidden_name, subtree);
}

}  // namespace chp
