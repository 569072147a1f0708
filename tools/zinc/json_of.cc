#include "tools/zinc/json_of.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <string>

namespace zinc {

boost::json::value json_of(std::string_view bytes) {
  const boost::json::value text(boost::json::string_view{bytes.data(), bytes.size()});
  boost::system::error_code ec;
  boost::json::parse(boost::json::serialize(text), ec);
  if (!ec) {
    return text;
  }
  std::string hex;
  for (const auto byte : bytes) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return boost::json::object{{"hex", hex}};
}

}  // namespace zinc
