#include "zmtp/extensions.h"

namespace zmtp {

namespace {

constexpr std::string_view property_name = "X-Zinc";

}  // namespace

void announce_extensions(metadata& own, const std::vector<std::string>& extensions) {
  std::string list;
  for (const auto& extension : extensions) {
    if (!list.empty()) {
      list += ',';
    }
    list += extension;
  }
  if (!list.empty()) {
    own.add(property_name, list);
  }
}

std::optional<std::string_view> find_extension(const metadata& peer,
                                               std::string_view name) noexcept {
  const auto* list = peer.find(property_name);
  if (list == nullptr) {
    return std::nullopt;
  }
  for (std::string_view rest = *list; !rest.empty();) {
    const auto extension = rest.substr(0, rest.find(','));
    rest.remove_prefix(extension.size() < rest.size() ? extension.size() + 1 : rest.size());
    const auto equals = extension.find('=');
    if (extension.substr(0, equals) == name) {
      return equals == std::string_view::npos ? std::string_view{} : extension.substr(equals + 1);
    }
  }
  return std::nullopt;
}

}  // namespace zmtp
