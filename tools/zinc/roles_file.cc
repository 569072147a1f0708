#include "tools/zinc/roles_file.h"

#include "chp/map_access.h"
#include "mdp/options.h"
#include "zmtp/curve/private_file.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace zinc {

namespace {

constexpr std::size_t most_bytes = std::size_t{64} * 1024 * 1024;

struct verb {
  std::string_view name;
  std::uint8_t number;
};
constexpr std::array service_verbs{
    verb{"offer", static_cast<std::uint8_t>(mdp::right::offer)},
    verb{"call", static_cast<std::uint8_t>(mdp::right::call)},
    verb{"inspect", static_cast<std::uint8_t>(mdp::right::inspect)},
    verb{"represent", static_cast<std::uint8_t>(mdp::right::represent)}};
constexpr std::array map_verbs{verb{"read", static_cast<std::uint8_t>(chp::right::read)},
                               verb{"write", static_cast<std::uint8_t>(chp::right::write)}};

struct table_form {
  std::string_view name;
  roles_table which;
  std::span<const verb> verbs;
  std::string_view verb_names;
  bool only_prefixes;
  std::string_view name_example;
};
constexpr std::array forms{
    table_form{"services", roles_table::services, service_verbs,
               "offer, call, inspect or represent", false, "\"orders\" or \"orders.*\""},
    table_form{"map", roles_table::map, map_verbs, "read or write", true, "\"/orders/*\""}};

[[noreturn]] void fail(const std::string& file, const toml::source_region& at, std::string_view key,
                       std::string_view fault) {
  throw roles_fault{fmt::format("{}, line {}, {}: {}", file, at.begin.line, key, fault)};
}

// Returns the fault of a name, or an empty string.
std::string fault_of(std::string_view name, const table_form& form) {
  const auto star = name.find('*');
  if (name.empty()) {
    return fmt::format("the name is empty; give a name such as {}", form.name_example);
  }
  if (star != name.npos && star + 1 != name.size()) {
    return fmt::format("'{}' has a * before its end; only the last character may be *", name);
  }
  if (form.only_prefixes && star == name.npos) {
    return fmt::format("'{}' does not end with *; give the beginning of keys, such as {}", name,
                       form.name_example);
  }
  return {};
}

void read_names(const toml::node& value, const std::string& file, const std::string& key,
                const table_form& form, std::string_view principal, std::uint8_t number,
                std::vector<zmtp::access_grant>& to) {
  const auto* const list = value.as_array();
  if (list == nullptr) {
    fail(file, value.source(), key, fmt::format("not a list; write [{}]", form.name_example));
  }
  for (const auto& each : *list) {
    const auto name = each.value<std::string>();
    if (!each.is_string() || !name) {
      fail(file, each.source(), key, fmt::format("not a string; write {}", form.name_example));
    }
    if (const auto fault = fault_of(*name, form); !fault.empty()) {
      fail(file, each.source(), key, fault);
    }
    to.push_back({.principal = std::string{principal}, .verb = number, .name = *name});
  }
}

std::vector<zmtp::access_grant> read_table(const toml::node& value, const std::string& file,
                                           const table_form& form) {
  const auto* const principals = value.as_table();
  if (principals == nullptr) {
    fail(file, value.source(), form.name,
         fmt::format("not a table; write [{}.PRINCIPAL]", form.name));
  }
  std::vector<zmtp::access_grant> all;
  for (const auto& [principal, rights] : *principals) {
    const auto where = fmt::format("{}.{}", form.name, principal.str());
    const auto* const verbs = rights.as_table();
    if (verbs == nullptr || principal.empty()) {
      fail(file, rights.source(), where,
           fmt::format("not a table of a principal; write [{}.PRINCIPAL] and below it {}",
                       form.name, form.verb_names));
    }
    for (const auto& [name, names] : *verbs) {
      const auto key = fmt::format("{}.{}", where, name.str());
      std::optional<std::uint8_t> number;
      for (const auto& each : form.verbs) {
        number = each.name == name.str() ? std::optional{each.number} : number;
      }
      if (!number) {
        fail(file, name.source(), key, fmt::format("unknown; give {}", form.verb_names));
      }
      read_names(names, file, key, form, principal.str(), *number, all);
    }
  }
  return all;
}

}  // namespace

zmtp::access_rules parse_roles(std::string_view text, const std::string& file, roles_table which) {
  toml::table parsed;
  try {
    parsed = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw roles_fault{fmt::format("{}, line {}: {}; write tables such as [services.alice]", file,
                                  e.source().begin.line, e.description())};
  }
  std::optional<zmtp::access_rules> found;
  for (const auto& [name, value] : parsed) {
    const table_form* form = nullptr;
    for (const auto& each : forms) {
      form = each.name == name.str() ? &each : form;
    }
    if (form == nullptr) {
      fail(file, name.source(), name.str(), "unknown table; give services or map");
    }
    const auto grants = read_table(value, file, *form);
    if (form->which == which) {
      found.emplace(grants);
    }
  }
  if (!found) {
    throw roles_fault{fmt::format(
        "{}: has no table '{}', so nothing would be allowed; add tables such as [{}.alice]", file,
        which == roles_table::services ? "services" : "map",
        which == roles_table::services ? "services" : "map")};
  }
  return *found;
}

zmtp::access_rules read_roles(const std::string& file, roles_table which) {
  const auto read = zmtp::read_private_file(file, most_bytes);
  if (const auto* const unread = std::get_if<zmtp::unread_file>(&read)) {
    throw roles_fault{fmt::format("cannot read {}: {}; check the path", file, unread->why)};
  }
  return parse_roles(std::get<std::string>(read), file, which);
}

}  // namespace zinc
