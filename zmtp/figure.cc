#include "zmtp/figure.h"

namespace zmtp {

namespace {

struct append_value {
  std::string& to;

  void operator()(std::uint64_t number) const { to += std::to_string(number); }
  void operator()(bool flag) const { to += flag ? "true" : "false"; }
  void operator()(std::string_view word) const { to += word; }
  void operator()(const std::shared_ptr<const durations>& /*all*/) const {}
};

}  // namespace

void append_to_line(std::string& line, std::string_view key, const figure_value& value) {
  if (!line.empty()) {
    line += ' ';
  }
  line.append(key) += '=';
  std::visit(append_value{line}, value);
}

}  // namespace zmtp
