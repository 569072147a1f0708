#pragma once
// The outcomes of a client's updates, as a property of the HUGZ that a server sends to it. Pure.

#include "chp/acknowledgement.h"
#include "chp/error.h"
#include "chp/sequence.h"
#include "chp/truth.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

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

}  // namespace chp
