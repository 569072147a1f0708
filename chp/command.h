#pragma once
// The commands of 12/CHP and of the Guide's earlier models, recognised and built. Pure.

#include "chp/error.h"
#include "chp/sequence.h"
#include "chp/update_id.h"
#include "zmtp/message.h"

#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace chp {

// How keys and values are framed (protocols B16). What is said is in one form; what is heard may be of
// either kvsimple where one of them is spoken.
enum class form : std::uint8_t {
  kvmsg,       // [key][sequence, 8][UUID][properties][value]: 12/CHP
  kvsimple_8,  // [key][sequence, 8][value]: models 1 to 4 in C
  kvsimple_4,  // [key][sequence, 4][value]: the same in Python
};

// What clients send updates to.
enum class collector_kind : std::uint8_t {
  sub,   // 12/CHP, and the Guide's model 6
  pull,  // its models 3 to 5
};

inline constexpr std::size_t max_key_size = 255;
inline constexpr std::size_t max_id_size = 64;
inline constexpr std::size_t max_properties_size = 64 * 1024;

struct command_limits {
  std::size_t max_value_size = 16 * 1024 * 1024;  // octets
};

// A key and what it is to hold: KVSET, KVPUB and KVSYNC. Views of the message, which hold until it is
// changed, moved or destroyed.
struct update {
  form how = form::kvmsg;
  std::string_view key;
  sequence number = 0;          // of KVSET without a meaning
  std::string_view id;          // the frame of the UUID; see update_id::of_frame()
  std::string_view properties;  // see properties.h
  std::string_view value;

  // An empty value deletes; but in kvsimple it is a value like others.
  [[nodiscard]] bool erases() const noexcept { return how == form::kvmsg && value.empty(); }
};

// What a server hears on its snapshot port.
struct snapshot_request {
  std::string_view subtree;
  bool has_subtree;  // ICANHAZ of two frames, and not of the one of models 2 and 3
};
struct position_report {  // own backups: it has applied everything up to here
  sequence applied;
  std::uint64_t notices;  // … and has heard of refusals up to this notice of the active server
};
struct resubmission {  // own servers: what one had accepted that lost its active role
  sequence base;       // up to which it and the other one were the same
  update change;
};
struct resubmission_end {
  std::uint64_t count;  // of the resubmissions before it
};
struct resubmission_answer {
  std::uint64_t count;  // of those that have been looked at
  sequence number;      // what was made of them is published up to here
};
struct register_piece {  // between own servers: a piece of an update_register
  std::string_view octets;
};
using snapshot_port_input =
    std::variant<snapshot_request, position_report, resubmission, register_piece, resubmission_end>;

// What a client hears on its snapshot connection.
struct snapshot_end {  // KTHXBAI
  sequence number;
  std::string_view subtree;  // for people: peers have what they like there
  // Own servers: the counter of the subtree; and the number that this history began behind, by a server that
  // had none before it: what is below is not in it. Nothing where it began with the first update. To a backup
  // also replication::origin.
  std::string_view properties;
};
using snapshot_input = std::variant<update, snapshot_end, register_piece, resubmission_answer>;

// What a client hears on its subscriber connection, and a passive server on that to the active one.
struct heartbeat {              // HUGZ: it has no sequence, whatever stands there
  std::string_view properties;  // own servers: see acknowledgement.h
};
using publication_input = std::variant<update, heartbeat>;

template <class T>
using parsed = boost::system::result<T, errc>;

// The message is left as it is. Frames of more than the limits are refused, and so are keys that are empty,
// long, commands or cut by peers in C.
[[nodiscard]] parsed<snapshot_port_input> parse_snapshot_port(const zmtp::message& m,
                                                              const command_limits& limits);
// KVSET, on the collector.
[[nodiscard]] parsed<update> parse_set(const zmtp::message& m, form how,
                                       const command_limits& limits);
// Of what parse_set() refuses: whose it is, as far as that can be told.
[[nodiscard]] update_id id_of_set(const zmtp::message& m, form how) noexcept;
[[nodiscard]] parsed<snapshot_input> parse_snapshot(const zmtp::message& m, form how,
                                                    const command_limits& limits);
[[nodiscard]] parsed<publication_input> parse_publication(const zmtp::message& m, form how,
                                                          const command_limits& limits);

// The fault of a key, or none (errc{}); of a value. For those of the local user.
[[nodiscard]] errc check_key(std::string_view key) noexcept;

// Each makes one message of one allocation, none if it has up to 96 octets on the wire.
// ICANHAZ of two frames, and the one of models 2 and 3.
[[nodiscard]] zmtp::message make_snapshot_request(std::string_view subtree);
[[nodiscard]] zmtp::message make_snapshot_request();
// KVSYNC. `number` is that of the whole snapshot (protocols C1-3); id and properties are empty but for
// backups of ours.
[[nodiscard]] zmtp::message make_entry(form how, std::string_view key, sequence number,
                                       std::string_view id, std::string_view properties,
                                       std::string_view value);
// KTHXBAI. Properties are empty but for clients of ours, and not sent in kvsimple.
[[nodiscard]] zmtp::message make_snapshot_end(form how, sequence number, std::string_view subtree,
                                              std::string_view properties = {});
// KVSET.
[[nodiscard]] zmtp::message make_set(form how, std::string_view key, const update_id& id,
                                     std::string_view properties, std::string_view value);
// KVPUB of an update as it came, in another form perhaps, with its own properties and more behind them. A
// last line without its end gets one. One that came without a UUID, which the Guide's passive server does
// not survive (protocols C1-10), gets `id`.
[[nodiscard]] zmtp::message make_publication(form how, const update& change, const update_id& id,
                                             sequence number,
                                             std::string_view more_properties = {});
// HUGZ, in kvmsg alone.
[[nodiscard]] zmtp::message make_heartbeat(std::string_view properties = {});
// Between servers of ours.
[[nodiscard]] zmtp::message make_register_piece(std::string_view octets);
[[nodiscard]] zmtp::message make_position_report(sequence applied, std::uint64_t notices);
[[nodiscard]] zmtp::message make_resubmission(sequence base, std::string_view key,
                                              const update_id& id, std::string_view properties,
                                              std::string_view value);
[[nodiscard]] zmtp::message make_resubmission_end(std::uint64_t count);
[[nodiscard]] zmtp::message make_resubmission_answer(std::uint64_t count, sequence number);

}  // namespace chp
