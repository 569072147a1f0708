#include "chp/answers.h"

#include "chp/properties.h"

#include <algorithm>
#include <array>
#include <utility>

namespace chp {

namespace {

// By their numbers, which other servers know them by: new ones go to the end.
constexpr std::array<std::pair<errc, std::string_view>, 11> refusals{{
    {errc::refused, "refused"},
    {errc::too_many_keys, "too_many_keys"},
    {errc::too_many_bytes, "too_many_bytes"},
    {errc::value_too_long, "value_too_long"},
    {errc::key_empty, "key_empty"},
    {errc::key_too_long, "key_too_long"},
    {errc::key_with_zero, "key_with_zero"},
    {errc::key_reserved, "key_reserved"},
    {errc::properties_too_long, "properties_too_long"},
    {errc::wrong_sequence_size, "wrong_sequence_size"},
    {errc::forbidden, "forbidden"},
}};

// Takes what is before the next separator, and that.
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

void append_refusals(std::string& to, std::span<const refusal> refused) {
  to.append(property_name::refused);
  char before = '=';
  for (const auto& one : refused) {
    for (const auto number : {one.updates.first, one.updates.last}) {
      to += before;
      append_number(to, number);
      before = '-';
    }
    to += '-';
    to.append(refusal_name(one.why));
    before = ',';
  }
  to += '\n';
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

std::string_view refusal_name(errc why) noexcept { return refusals[refusal_code(why)].second; }

std::uint8_t refusal_code(errc why) noexcept {
  const auto* const found = std::find_if(refusals.begin(), refusals.end(),
                                         [&](const auto& one) { return one.first == why; });
  return found == refusals.end() ? std::uint8_t{0}
                                 : static_cast<std::uint8_t>(found - refusals.begin());
}

errc refusal_of(std::string_view name) noexcept {
  const auto* const found = std::find_if(refusals.begin(), refusals.end(),
                                         [&](const auto& one) { return one.second == name; });
  return found == refusals.end() ? errc::refused : found->first;
}

errc refusal_of(std::uint8_t code) noexcept {
  return code < refusals.size() ? refusals[code].first : errc::refused;
}

void append_acknowledgement(std::string& to, const acknowledgement& of) {
  append_property(to, property_name::ack, of.counter);
  if (of.degraded) {
    append_property(to, property_name::degraded, std::uint64_t{1});
  }
  if (!of.refused.empty()) {
    append_refusals(to, of.refused);
  }
  if (of.unsure != 0) {
    append_property(to, property_name::unsure, of.unsure);
  }
}

}  // namespace chp
