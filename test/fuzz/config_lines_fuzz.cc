#include "test/fuzz/oracle.h"
#include "tools/zinc/config_lines.h"

#include <algorithm>

namespace zmtp::fuzz {
namespace {

void try_config(std::string_view text) {
  const auto all = zinc::parse_config(text);
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  require(all.lines.size() + all.faults.size() <= ends + 1, "a line has one result");
  std::string again;
  std::size_t last = 0;
  for (const auto& one : all.lines) {
    require(one.number > last && one.number <= ends + 1, "lines are in their order");
    last = one.number;
    require(!one.name.empty() && !one.value.empty(), "a setting has a name and a value");
    require(text.find(one.value) != std::string_view::npos, "a value is kept as it was written");
    again += one.name + '=' + one.value + '\n';
  }
  for (const auto& one : all.faults) {
    require(one.number <= ends + 1, "a fault is in the text");
    require(std::ranges::all_of(one.reason, [](char c) { return c >= ' ' && c <= '~'; }),
            "a reason is printable");
  }
  const auto second = zinc::parse_config(again);
  require(second.faults.empty() && second.lines.size() == all.lines.size(),
          "what was read can be written and read");
  for (std::size_t i = 0; i < all.lines.size(); ++i) {
    require(
        second.lines[i].name == all.lines[i].name && second.lines[i].value == all.lines[i].value,
        "what is written is read as the same setting");
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_config(zmtp::fuzz::text_of(data, size));
  return 0;
}
