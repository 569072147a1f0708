#include "chp/acknowledgement.h"

#include "chp/properties.h"

#include <algorithm>

namespace chp {

void append_acknowledgement(std::string& to, std::uint64_t counter,
                            std::span<const counter_range> gaps, bool degraded) {
  append_property(to, property_name::ack, counter);
  if (!gaps.empty()) {
    to.append(property_name::gaps);
    char before = '=';
    for (const auto& gap : gaps) {
      to += before;
      append_number(to, gap.first);
      to += '-';
      append_number(to, gap.last);
      before = ',';
    }
    to += '\n';
  }
  if (degraded) {
    append_property(to, property_name::degraded, std::uint64_t{1});
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
  std::uint64_t above = 0;  // which the next gap must begin
  while (!rest.empty()) {
    const auto each = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(each.size() + 1, rest.size()));
    const auto divided = std::min(each.find('-'), each.size());
    const auto first = parse_number(each.substr(0, divided));
    const auto last = parse_number(each.substr(std::min(divided + 1, each.size())));
    if (!first || !last || *first <= above || *last < *first || *last >= *counter ||
        found.gaps.size() == max_gaps) {
      return std::nullopt;
    }
    found.gaps.push_back({*first, *last});
    above = *last + 1;
  }
  return found;
}

}  // namespace chp
