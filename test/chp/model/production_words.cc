#include "test/chp/model/production_words.h"

#include "chp/properties.h"

#include <algorithm>
#include <string>

namespace chp::model {

namespace {

constexpr std::uint64_t opaque = 0x0BAD;

std::uint32_t number_in(std::string_view text) {
  return static_cast<std::uint32_t>(parse_number(text).value_or(0));
}

std::uint32_t session_of(const update_id& id) {
  return id.has_session() ? static_cast<std::uint32_t>(id.session() >> 16) : 0;
}

}  // namespace

lineage lineage_of(const chp::lineage& of) {
  lineage result;
  for (const reign& each : of.rows()) {
    result.push_back(row_of(each));
  }
  return result;
}

entry entry_of(const log_entry& e) {
  entry result;
  result.at = number_of(e.number);
  switch (e.kind) {
    case entry_kind::reign: result.what = kind::reign; break;
    case entry_kind::set: result.what = kind::set; break;
    case entry_kind::erasure: result.what = kind::erase; break;
    case entry_kind::expiry: result.what = kind::expiry; break;
    case entry_kind::refusal: result.what = kind::refusal; break;
  }
  result.key = e.key.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(e.key.back() - '0');
  result.ttl = static_cast<std::uint8_t>(e.ttl / std::chrono::seconds{1});
  // An erasure has no value, so each update has its number as a property too.
  result.update = number_in(properties{e.properties}.find("update").value_or(""));
  result.session = session_of(e.id);
  result.counter = result.session == 0 ? 0 : static_cast<std::uint32_t>(e.id.counter());
  result.low = static_cast<std::uint32_t>(e.low);
  result.tag_or_ends = e.kind == entry_kind::expiry ? number_of(e.argument) : e.argument;
  return result;
}

zmtp::message message_of(const update& u) {
  std::string text;
  append_property(text, "update", u.number);
  if (u.ttl != 0) {
    append_property(text, property_name::ttl, u.ttl);
  }
  update_id id;
  if (u.session != 0) {
    id = update_id::of_session(update_id::make_session(std::uint64_t{u.session} << 16), u.counter);
    append_property(text, property_name::low, u.low);
    append_since(text, {u.since.of, u.since.tag, sequence_of(u.since.at)});
    if (u.asks) {
      append_property(text, property_name::asks, std::uint64_t{1});
    }
  } else if (u.has_id) {
    id = update_id::of_random(opaque, u.number);
  }
  const std::string value = u.erases ? "" : std::to_string(u.number);
  return make_set(form::kvmsg, "key" + std::to_string(u.key), id, text, value);
}

void fill_log(kept& to, const surroundings& around) {
  to.log.clear();
  for (const row& r : to.rows) {
    const auto found = around.made.find(r.tag);
    if (found == around.made.end()) {
      continue;
    }
    for (const entry& e : found->second) {
      if (e.at <= r.last) {
        to.log.push_back(e);
      }
    }
  }
}

rows_of_map rows_of(const store& map) {
  rows_of_map rows{};
  map.for_each("", [&](const store::entry& e) {
    rows.at(static_cast<std::size_t>(e.key().back() - '0')) = {
        number_in(e.value()), number_of(e.number()),
        static_cast<std::uint8_t>(e.ttl() / std::chrono::seconds{1}), 0};
    return true;
  });
  return rows;
}

void apply(rows_of_map& map, const chp::update& published) {
  auto& row = map.at(static_cast<std::size_t>(published.key.back() - '0'));
  row = published.erases() ? cell{} : cell{number_in(published.value), number_of(published.number)};
}

}  // namespace chp::model
