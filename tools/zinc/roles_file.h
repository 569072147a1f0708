#pragma once
// The file of rules of zinc broker, zinc titanic and zinc chp server: which principals may do what.

#include "zmtp/access_rules.h"

#include <stdexcept>
#include <string>
#include <string_view>

namespace zinc {

// Names the file, the line and the key, the fault and the remedy.
class roles_fault : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// The tables of the file, which is TOML. Each has one table per principal, with lists of names by
// verb.
enum class roles_table {
  services,  // offer, call and inspect services: mdp::right
  map,       // read and write keys: chp::right
};

// Checks the whole text and returns the rules of one table. Throws roles_fault.
[[nodiscard]] zmtp::access_rules parse_roles(std::string_view text, const std::string& file,
                                             roles_table which);
// Same, for a file.
[[nodiscard]] zmtp::access_rules read_roles(const std::string& file, roles_table which);

}  // namespace zinc
