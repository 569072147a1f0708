#include "chp/acknowledgement.h"

#include "chp/properties.h"
#include "chp/update_id.h"

#include <algorithm>
#include <array>
#include <utility>

namespace chp {

namespace {

// By their numbers, which other servers know them by: new ones go to the end.
constexpr std::array<std::pair<errc, std::string_view>, 10> refusals{{
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
}};

// Takes what is before the next separator, and that.
std::string_view take_until(std::string_view& rest, char separator) noexcept {
  const auto taken = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(taken.size() + 1, rest.size()));
  return taken;
}

void append_range(std::string& to, const counter_range& range) {
  append_number(to, range.first);
  to += '-';
  append_number(to, range.last);
}

void append_refusals(std::string& to, std::span<const refusal> refused) {
  to.append(property_name::refused);
  char before = '=';
  for (const auto& one : refused) {
    to += before;
    append_range(to, one.updates);
    to += '-';
    to.append(refusal_name(one.why));
    before = ',';
  }
  to += '\n';
}

// False if it makes no sense.
bool find_refusals(std::string_view rest, std::uint64_t counter,
                   boost::container::small_vector<refusal, 1>& to) {
  std::uint64_t above = 0;
  while (!rest.empty()) {
    auto each = take_until(rest, ',');
    const auto first = parse_number(take_until(each, '-'));
    const auto last = parse_number(take_until(each, '-'));
    if (!first || !last || *first <= above || *last < *first || *last > counter ||
        to.size() == max_refusals) {
      return false;
    }
    to.push_back({{*first, *last}, refusal_of(each)});
    above = *last;
  }
  return true;
}

}  // namespace

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

void append_acknowledgement(std::string& to, std::uint64_t counter,
                            std::span<const counter_range> gaps, bool degraded,
                            std::span<const refusal> refused, std::uint64_t unsure) {
  append_property(to, property_name::ack, counter);
  if (!gaps.empty()) {
    to.append(property_name::gaps);
    char before = '=';
    for (const auto& gap : gaps) {
      to += before;
      append_range(to, gap);
      before = ',';
    }
    to += '\n';
  }
  if (degraded) {
    append_property(to, property_name::degraded, std::uint64_t{1});
  }
  if (!refused.empty()) {
    append_refusals(to, refused);
  }
  if (unsure != 0) {
    append_property(to, property_name::unsure, unsure);
  }
}

std::optional<acknowledgement> find_acknowledgement(std::string_view properties_frame) {
  const properties all{properties_frame};
  const auto counter = parse_number(all.find(property_name::ack).value_or(""));
  if (!counter) {
    return std::nullopt;
  }
  acknowledgement found;
  found.counter = *counter;
  found.degraded = all.find(property_name::degraded) == "1";
  auto rest = all.find(property_name::gaps).value_or("");
  std::uint64_t above = 0;  // lower limit of the next gap
  while (!rest.empty()) {
    auto each = take_until(rest, ',');
    const auto first = parse_number(take_until(each, '-'));
    const auto last = parse_number(each);
    if (!first || !last || *first <= above || *last < *first || *last >= *counter ||
        found.gaps.size() == max_gaps) {
      return std::nullopt;
    }
    found.gaps.push_back({*first, *last});
    above = *last + 1;
  }
  if (!find_refusals(all.find(property_name::refused).value_or(""), *counter, found.refused)) {
    return std::nullopt;
  }
  found.unsure = parse_number(all.find(property_name::unsure).value_or("")).value_or(0);
  return found;
}

}  // namespace chp
