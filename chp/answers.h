#pragma once
// The outcomes of a client's updates, as properties of the HUGZ that a server sends to it. Pure.

#include "chp/error.h"
#include "chp/sequence.h"
#include "chp/truth.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

// An inclusive range of counters.
struct counter_range {
  std::uint64_t first;
  std::uint64_t last;
  friend bool operator==(const counter_range&, const counter_range&) = default;
};

// Updates of one session with the same outcome.
struct answer_range {
  counter_range updates{};
  sequence number = 0;  // the highest of their numbers
  truth says = truth::unknown;
  errc why{};  // errc{}: they were made; otherwise the reason of their refusal
  friend bool operator==(const answer_range&, const answer_range&) = default;
};

// Appends answers=<first>-<last>-<number>-<truth>,… A refused range has -<reason> after that.
void append_answers(std::string& to, std::span<const answer_range> all);
// Returns nothing if the properties have no answers, or an invalid one.
[[nodiscard]] std::optional<std::vector<answer_range>> find_answers(std::string_view properties);

// Convert the reason of a refusal to and from its name and its number on the wire. errc::refused
// stands for unknown ones.
[[nodiscard]] std::string_view refusal_name(errc why) noexcept;
[[nodiscard]] std::uint8_t refusal_code(errc why) noexcept;
[[nodiscard]] errc refusal_of(std::string_view name) noexcept;
[[nodiscard]] errc refusal_of(std::uint8_t code) noexcept;

// Updates that will never be made, and the reason.
struct refusal {
  counter_range updates;
  errc why;
};
// Limit of a list of refusals, in a frame and in a server's memory.
inline constexpr std::size_t max_refusals = 64;

// For clients of Zinc's earlier version: all updates up to `counter` have an outcome. They are made,
// except the refused ones.
struct acknowledgement {
  std::uint64_t counter = 0;
  bool degraded = false;               // committed by one server of a pair without its peer
  std::span<const refusal> refused{};  // in ascending order
  std::uint64_t unsure = 0;  // up to here, updates that are no longer listed may be refused too
};
// Appends ack=<counter>, and unless empty degraded=1, refused=<first>-<last>-<name>,… and
// unsure=<counter>.
void append_acknowledgement(std::string& to, const acknowledgement& of);

}  // namespace chp
