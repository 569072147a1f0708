#include "chp/answers.h"

#include "chp/properties.h"

#include <algorithm>

namespace chp {

namespace {

std::string_view take_until(std::string_view& rest, char separator) noexcept {
  const auto taken = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(taken.size() + 1, rest.size()));
  return taken;
}

std::optional<answer_range> parse_range(std::string_view rest) {
  const auto first = parse_number(take_until(rest, '-'));
  const auto last = parse_number(take_until(rest, '-'));
  const auto number = parse_number(take_until(rest, '-'));
  const auto says = parse_truth(take_until(rest, '-'));
  if (!first || !last || !number || !says || *first == 0 || *last < *first ||
      *number > max_sequence) {
    return std::nullopt;
  }
  return answer_range{{*first, *last}, *number, *says, rest.empty() ? errc{} : refusal_of(rest)};
}

}  // namespace

void append_answers(std::string& to, std::span<const answer_range> all) {
  to.append(property_name::answers);
  char before = '=';
  for (const auto& one : all) {
    for (const auto number : {one.updates.first, one.updates.last, one.number}) {
      to += before;
      append_number(to, number);
      before = '-';
    }
    to += '-';
    to.append(to_string(one.says));
    if (one.why != errc{}) {
      to += '-';
      to.append(refusal_name(one.why));
    }
    before = ',';
  }
  to += '\n';
}

std::optional<std::vector<answer_range>> find_answers(std::string_view properties_frame) {
  const auto found = properties{properties_frame}.find(property_name::answers);
  if (!found) {
    return std::nullopt;
  }
  std::vector<answer_range> all;
  for (auto rest = *found; !rest.empty();) {
    const auto one = parse_range(take_until(rest, ','));
    if (!one) {
      return std::nullopt;
    }
    all.push_back(*one);
  }
  return all;
}

}  // namespace chp
