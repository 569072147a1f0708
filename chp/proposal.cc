#include "chp/proposal.h"

#include "chp/properties.h"

#include <algorithm>

namespace chp {

namespace {

void read_properties(proposal& of) {
  const auto frame = of.properties;
  for (const auto& [name, value] : properties{frame}) {
    if (name == property_name::ttl) {
      of.ttl = parse_ttl(value).value_or(std::chrono::milliseconds{0});
      continue;
    }
    if (name == property_name::low) {
      of.has_low = true;
      of.low = std::max<std::uint64_t>(parse_number(value).value_or(1), 1);
    } else if (name == property_name::since) {
      of.since = value;
    } else if (name == property_name::asks) {
      of.asks = value == "1";
    } else {
      continue;
    }
    const auto at = static_cast<std::size_t>(name.data() - frame.data());
    of.properties = frame.substr(0, std::min(of.properties.size(), at));
  }
}

}  // namespace

proposal parse_proposal(const message_parts& m, form how, const command_limits& limits) {
  proposal p;
  const auto parsed_set = parse_set(m, how, limits);
  if (!parsed_set) {
    p.fault = parsed_set.error();
    const auto rejected = parse_rejected_set(m, how);
    p.id = rejected.id;
    p.properties = rejected.properties;
  } else {
    p.id = update_id::of_frame(parsed_set->id);
    p.erases = parsed_set->erases();
    p.key = parsed_set->key;
    p.properties = parsed_set->properties;
    p.value = parsed_set->value;
  }
  if (p.id.has_session()) {
    read_properties(p);
  } else if (const auto ttl = properties{p.properties}.find(property_name::ttl)) {
    p.ttl = parse_ttl(*ttl).value_or(std::chrono::milliseconds{0});
  }
  return p;
}

void append_since(std::string& to, const position& since) {
  to.append(property_name::since);
  char before = '=';
  for (const auto number : {since.epoch, since.tag, since.number}) {
    to += before;
    append_number(to, number);
    before = '-';
  }
  to += '\n';
}

std::optional<position> parse_since(std::string_view value) noexcept {
  const auto first = value.find('-');
  const auto second = value.find('-', first + 1);
  if (first == value.npos || second == value.npos) {
    return std::nullopt;
  }
  const auto epoch = parse_number(value.substr(0, first));
  const auto tag = parse_number(value.substr(first + 1, second - first - 1));
  const auto number = parse_number(value.substr(second + 1));
  if (!epoch || !tag || !number || *number > max_sequence) {
    return std::nullopt;
  }
  return position{*epoch, *tag, *number};
}

}  // namespace chp
