#pragma once
// An update of a client, as a server proposes it to the log. Pure.

#include "chp/command.h"
#include "chp/error.h"
#include "chp/lineage.h"
#include "chp/update_id.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chp {

// Zinc's clients add properties to a KVSET:
//
//     low=<counter>                    the lowest counter without a final outcome
//     since=<epoch>-<tag>-<number>     the place with which the session began; absent: the first one
//     asks=1                           the client has an outcome of this update, and asks again
//
// All numbers are decimal. These properties come last, and are not part of the update. The views
// refer to the message.
struct proposal {
  update_id id{};
  errc fault{};  // the update is not valid, for this reason
  bool erases = false;
  bool asks = false;
  bool has_low = false;  // earlier versions of Zinc's clients do not say it
  std::uint64_t low = 1;
  std::chrono::milliseconds ttl{0};  // 0: none
  std::string_view since{};          // for parse_since(), which takes longer than all other reading
  std::string_view key{};
  std::string_view properties{};
  std::string_view value{};
};

// Reads a KVSET. A message with a fault has an id and the client's properties as far as they can be
// read.
[[nodiscard]] proposal parse_proposal(const message_parts& m, form how,
                                      const command_limits& limits);

// Append what a client sends.
void append_since(std::string& properties, const position& since);
[[nodiscard]] std::optional<position> parse_since(std::string_view value) noexcept;

}  // namespace chp
