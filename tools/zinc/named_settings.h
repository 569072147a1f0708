#pragma once
// Settings of a thing that has a name, as one word of a command line: `NAME:KEY=VALUE,KEY=VALUE`.

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zinc {

// Names the text, the cause and the remedy.
class settings_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct named_settings {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;  // at least one; keys and values
};

// Reads the text before the last colon as the name. Throws settings_error.
[[nodiscard]] named_settings parse_named_settings(std::string_view text);

}  // namespace zinc
