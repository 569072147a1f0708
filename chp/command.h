#pragma once
// Parser and builder of the commands of 12/CHP and of the Guide's earlier models. Pure.

#include "chp/error.h"
#include "chp/lineage.h"
#include "chp/sequence.h"
#include "chp/update_id.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/options.h"

#include <boost/system/result.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace chp {

// Wire format of keys and values (protocols B16). A peer sends one form. A kvsimple peer accepts
// both kvsimple forms.
enum class form : std::uint8_t {
  kvmsg,       // [key][sequence, 8][UUID][properties][value]: 12/CHP
  kvsimple_8,  // [key][sequence, 8][value]: models 1 to 4 in C
  kvsimple_4,  // [key][sequence, 4][value]: the same in Python
};

// Socket type to which clients send updates.
enum class collector_kind : std::uint8_t {
  sub,   // 12/CHP, and the Guide's model 6
  pull,  // its models 3 to 5
};

inline constexpr std::size_t max_key_size = 255;
inline constexpr std::size_t max_id_size = 64;
inline constexpr std::size_t max_properties_size = 64 * 1024;
// In a publication: those of the KVSET, and those that the server adds. A key has up to 254
// directories with a count each.
inline constexpr std::size_t max_published_properties_size = 2 * max_properties_size;

// In bytes. SQLite stores the changes of a turn in rows of less than 1,000,000,000.
inline constexpr std::size_t largest_value = 512 * 1024 * 1024;

// Limits of a message.
struct command_limits {
  std::size_t max_value_size = 16 * 1024 * 1024;  // bytes, at most largest_value
};

// Returns a socket's limits with room for a message with the largest value.
[[nodiscard]] zmtp::limits socket_limits(zmtp::limits own, const command_limits& of) noexcept;

// The parts of a message, which is an object or a part of a batch. Refers to that message.
class message_parts {
public:
  static constexpr std::size_t most = 5;  // later parts are only counted

  message_parts(const zmtp::message& m) noexcept : size_{m.size()} { read(m); }
  message_parts(const zmtp::message_view& m) noexcept : size_{m.size()} { read(m); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // `index` must be below size() and `most`.
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    return first_[index];
  }
  // Returns a message of its own with the first parts.
  [[nodiscard]] zmtp::message to_message() const;

private:
  template <class Message>
  void read(const Message& m) noexcept {
    auto part = m.begin();
    for (std::size_t i = 0; i != std::min(size_, most); ++i, ++part) {
      first_[i] = *part;
    }
  }

  std::size_t size_;
  std::array<std::string_view, most> first_;
};

// A key and its new value: KVSET, KVPUB or KVSYNC. The views refer to the message, and are valid
// until it is changed, moved or destroyed.
struct update {
  form how = form::kvmsg;
  std::string_view key;
  sequence number = 0;          // no meaning in KVSET
  std::string_view id;          // the frame of the UUID; see update_id::of_frame()
  std::string_view properties;  // see properties.h
  std::string_view value;

  // Returns whether the update erases the key. In kvsimple, an empty value is a value.
  [[nodiscard]] bool erases() const noexcept { return how == form::kvmsg && value.empty(); }
};

// Commands that a client receives on its snapshot connection.
struct snapshot_end {  // KTHXBAI; its subtree means nothing, because peers send different values
  sequence number;
  std::string_view properties;  // Zinc servers: the counter of the subtree; see subtree.h
};
// Zinc servers, before KTHXBAI: ["LINEAGE"][rows of a lineage][end, 8]. The history of the server,
// and the end of its log, which can be above the number of the snapshot.
struct lineage_notice {
  lineage reigns;
  sequence end = 0;
};
// Zinc servers, to Zinc's clients: ["FORBIDDEN"][subtree]. The rules do not allow the client to read
// the whole subtree, or no longer. No snapshot follows, and KVSYNCs before it do not count.
struct snapshot_forbidden {};
using snapshot_input = std::variant<update, snapshot_end, lineage_notice, snapshot_forbidden>;

// Commands that a client receives on its subscriber connection.
struct heartbeat {              // HUGZ; its sequence has no meaning
  std::string_view properties;  // Zinc servers: see subscriber_notices.h
};
using publication_input = std::variant<update, heartbeat>;

template <class T>
using parsed = boost::system::result<T, errc>;

// The parsers do not change the message. They reject frames above the limits, and keys that are
// empty, too long, a command, or cut by peers in C.
//
// ICANHAZ?, on a server's snapshot port. Returns its subtree, which is empty for the request of
// models 2 and 3. See pair_messages.h for what a backup sends.
[[nodiscard]] parsed<std::string_view> parse_snapshot_request(const message_parts& m);
// Parses KVSET, on the collector.
[[nodiscard]] parsed<update> parse_set(const message_parts& m, form how,
                                       const command_limits& limits);
// The id and the properties of a message that parse_set() rejects, as far as they can be read.
struct rejected_set {
  update_id id{};
  std::string_view properties{};  // refer to the message
};
[[nodiscard]] rejected_set parse_rejected_set(const message_parts& m, form how) noexcept;
[[nodiscard]] parsed<snapshot_input> parse_snapshot(const message_parts& m, form how,
                                                    const command_limits& limits);
[[nodiscard]] parsed<publication_input> parse_publication(const message_parts& m, form how,
                                                          const command_limits& limits);

// Returns the fault of a key of a local call, or errc{}.
[[nodiscard]] errc check_key(std::string_view key) noexcept;

// The builders allocate at most once per message, and not at all up to 96 bytes on the wire.
// make_snapshot_request() makes ICANHAZ with two frames, or the one of models 2 and 3.
[[nodiscard]] zmtp::message make_snapshot_request(std::string_view subtree);
[[nodiscard]] zmtp::message make_snapshot_request();
// Makes KVSYNC, or KVPUB, which has the same frames. The `number` of a KVSYNC is that of the whole
// snapshot (protocols C1-3).
[[nodiscard]] zmtp::message make_entry(form how, std::string_view key, sequence number,
                                       std::string_view id, std::string_view properties,
                                       std::string_view value);
// Makes KTHXBAI. `properties` are empty except for Zinc's clients, and are not sent in kvsimple.
[[nodiscard]] zmtp::message make_snapshot_end(form how, sequence number, std::string_view subtree,
                                              std::string_view properties = {});
// Makes KVSET, with more properties behind the first ones.
[[nodiscard]] zmtp::message make_set(form how, std::string_view key, const update_id& id,
                                     std::string_view properties, std::string_view value,
                                     std::string_view more_properties = {});
// Appends a KVPUB to a batch. The batch allocates a block for many messages.
void append_publication(zmtp::message_batch& to, form how, std::string_view key, sequence number,
                        const update_id& id, std::string_view properties, std::string_view value);
// Makes HUGZ, only in kvmsg.
[[nodiscard]] zmtp::message make_heartbeat(std::string_view properties = {});
[[nodiscard]] zmtp::message make_lineage(const lineage& rows, sequence end);
[[nodiscard]] zmtp::message make_snapshot_forbidden(std::string_view subtree);

}  // namespace chp
