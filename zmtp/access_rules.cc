#include "zmtp/access_rules.h"

#include <algorithm>
#include <iterator>

namespace zmtp {

access_rules::access_rules(const std::vector<access_grant>& grants) : restricted_{true} {
  for (const auto& each : grants) {
    auto& of = granted_[key{each.principal, each.verb}];
    if (each.name.ends_with('*')) {
      of.prefixes.push_back(each.name.substr(0, each.name.size() - 1));
    } else {
      of.exact.push_back(each.name);
    }
  }
}

template <class Visit>
bool access_rules::find(std::string_view user_id, std::uint8_t verb, Visit&& visit) const {
  for (const auto principal : {user_id.empty() ? anonymous_principal : user_id, every_principal}) {
    const auto at = granted_.find(by_key::view{principal, verb});
    if (at != granted_.end() && visit(at->second)) {
      return true;
    }
  }
  return false;
}

bool access_rules::allows(std::string_view user_id, std::uint8_t verb,
                          std::string_view name) const noexcept {
  return !restricted_ || find(user_id, verb, [&](const names& of) {
    return std::any_of(of.prefixes.begin(), of.prefixes.end(),
                       [&](const auto& each) { return name.starts_with(each); }) ||
           std::find(of.exact.begin(), of.exact.end(), name) != of.exact.end();
  });
}

bool access_rules::allows_all(std::string_view user_id, std::uint8_t verb,
                              std::string_view prefix) const noexcept {
  return !restricted_ || find(user_id, verb, [&](const names& of) {
    return std::any_of(of.prefixes.begin(), of.prefixes.end(),
                       [&](const auto& each) { return prefix.starts_with(each); });
  });
}

std::vector<std::string> access_rules::allowed_parts(std::string_view user_id, std::uint8_t verb,
                                                     std::string_view prefix) const {
  if (allows_all(user_id, verb, prefix)) {
    return {std::string{prefix}};
  }
  std::vector<std::string> inside;
  find(user_id, verb, [&](const names& of) {
    std::copy_if(of.prefixes.begin(), of.prefixes.end(), std::back_inserter(inside),
                 [&](const auto& each) { return each.starts_with(prefix); });
    return false;
  });
  // In order, a prefix comes directly before the names that begin with it.
  std::sort(inside.begin(), inside.end());
  std::vector<std::string> parts;
  for (auto& each : inside) {
    if (parts.empty() || !each.starts_with(parts.back())) {
      parts.push_back(std::move(each));
    }
  }
  return parts;
}

void access_guard::change(access_rules rules) {
  rules_ = std::move(rules);
  reported_.clear();
}

access_guard::verdict access_guard::refuse(std::string_view user_id, std::uint8_t verb) {
  const bool is_new =
      reported_.size() < max_reported && reported_.emplace(std::string{user_id}, verb).second;
  return is_new ? verdict::refused_first : verdict::refused;
}

}  // namespace zmtp
