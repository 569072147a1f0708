#include "tools/zinc/request_parts.h"

#include "tools/zinc/file_bytes.h"
#include "tools/zinc/json_of.h"
#include "tools/zinc/output.h"
#include "tools/zinc/terminal_text.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <string>

namespace zinc {

zmtp::message request_body(const request_arguments& arguments) {
  zmtp::message m;
  for (const auto& part : arguments.body) {
    m.push_back(part);
  }
  if (!arguments.file.empty()) {
    m.adopt_back(bytes_of(arguments.file, most_request_bytes));
  }
  if (arguments.size) {
    m.push_back(std::string(*arguments.size, 'x'));
  }
  if (m.empty()) {
    m.push_back("");
  }
  return m;
}

void print_reply(const zmtp::message& reply, bool as_json) {
  std::string line;
  if (as_json) {
    boost::json::array parts;
    for (const auto part : reply) {
      parts.push_back(json_of(part));
    }
    const boost::json::object whole{{"reply", parts}};
    line = stdout_is_terminal() ? ascii_json(whole) : boost::json::serialize(whole);
  } else {
    const char* separator = "";
    for (const auto part : reply) {
      line += separator;
      line += stdout_is_terminal() ? readable(part) : std::string{part};
      separator = " ";
    }
  }
  line += '\n';
  write_output(line);
}

}  // namespace zinc
