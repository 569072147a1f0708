#pragma once
// One entry of the log, and its record: the same bytes in memory, on the disk and between servers.
// Pure.

#include "chp/command.h"
#include "chp/error.h"
#include "chp/sequence.h"
#include "chp/update_id.h"

#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chp {

enum class entry_kind : std::uint8_t {
  reign = 1,    // a server became active; `argument` is the tag of the reign
  set = 2,      // a key has a new value
  erasure = 3,  // a client has erased a key
  expiry = 4,   // a time to live has ended; `argument` is the number of the value that it ends
  refusal = 5,  // an update that is never made; `argument` is the refusal_code()
};

// The views of a parsed entry refer to its record.
struct log_entry {
  sequence number = 0;
  entry_kind kind = entry_kind::set;
  update_id id{};         // empty for a reign and an expiry, and for an update without an id
  std::uint64_t low = 0;  // with a session: its lowest counter without a final outcome
  std::uint64_t argument = 0;
  std::chrono::milliseconds ttl{0};  // the full time; 0: the key does not expire
  std::string_view key{};
  std::string_view properties{};  // those of the KVSET, or of the KVPUB of a Guide's server
  std::string_view value{};
};

// A record, all numbers in network order:
//
//     size        4   bytes of the record, including these
//     kind        1
//     parts       1   bit 0: id, 1: low, 2: argument, 3: ttl, 4: properties; others are 0
//     key size    1
//     reserved    1   0
//     number      8
//     id          16  the parts that are present, in this order
//     low         8
//     argument    8
//     ttl         8   milliseconds, from 1
//     properties  4   their size, from 1
//     key, properties, value (the rest)
inline constexpr std::size_t min_record_size = 16;

[[nodiscard]] std::size_t record_size(const log_entry& of) noexcept;
// Writes a record. `size` is its record_size().
void write_record(const log_entry& of, std::size_t size, char* to) noexcept;
void append_record(std::string& to, const log_entry& of);

// Reads a record of this process. `from` must begin with one, and is moved behind it.
[[nodiscard]] log_entry read_record(std::string_view& from) noexcept;

// Parses a record of a peer or a disk, and moves `from` behind it. The value may be longer than
// server_options::limit: a server keeps what was accepted before its limit was lowered.
// Errors: malformed_entry, sequence_too_large, properties_too_long, and those of check_key().
[[nodiscard]] boost::system::result<log_entry, errc> parse_record(std::string_view& from) noexcept;

}  // namespace chp
