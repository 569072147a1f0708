#include "tools/zinc/named_settings.h"

#include <fmt/core.h>

namespace zinc {

named_settings parse_named_settings(std::string_view text) {
  constexpr std::string_view remedy = "give NAME:KEY=VALUE,KEY=VALUE, for example echo:attempts=2";
  // Values have no colon. Names may.
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    throw settings_error{fmt::format("'{}' has no settings; {}", text, remedy)};
  }
  named_settings all{std::string{text.substr(0, colon)}, {}};
  auto rest = text.substr(colon + 1);
  while (true) {
    const auto setting = rest.substr(0, rest.find(','));
    const auto equals = setting.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw settings_error{
          fmt::format("'{}' has '{}' instead of KEY=VALUE; {}", text, setting, remedy)};
    }
    all.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    if (setting.size() == rest.size()) {
      return all;
    }
    rest.remove_prefix(setting.size() + 1);
  }
}

}  // namespace zinc
