#include "chp/lost_lines.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <string_view>

namespace chp {

namespace {

// Bytes that a JSON text can contain.
bool is_text(std::string_view bytes) {
  boost::json::error_code ec;
  (void)boost::json::parse(boost::json::serialize(bytes), ec);
  return !ec;
}

boost::json::value json_of(std::string_view bytes) {
  if (is_text(bytes)) {
    return boost::json::string{bytes};
  }
  constexpr std::string_view digits = "0123456789abcdef";
  boost::json::string hex;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    hex.push_back(digits[byte >> 4]);
    hex.push_back(digits[byte & 15]);
  }
  return {{"hex", hex}};
}

}  // namespace

std::size_t append_lost(std::string& lines, const log_entry& e) {
  if (e.kind != entry_kind::set && e.kind != entry_kind::erasure) {
    return 0;
  }
  boost::json::object line{{"number", e.number}, {"key", json_of(e.key)}};
  if (e.kind == entry_kind::set) {
    line.emplace("value", json_of(e.value));
  } else {
    line.emplace("erased", true);
  }
  if (e.ttl.count() != 0) {
    line.emplace("ttl", e.ttl.count());
  }
  if (!e.id.empty()) {
    const auto id = e.id.text();
    line.emplace("id", std::string_view{id.data(), id.size()});
  }
  lines += boost::json::serialize(line);
  lines += '\n';
  return 1;
}

}  // namespace chp
