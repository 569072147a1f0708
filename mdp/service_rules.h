#pragma once
// The options of each service: by its name, by a prefix of its name, or the common ones.

#include "mdp/options.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mdp {

// Returns the options of a service without a rule of its exact name. titanic.request (9/TSP) is not
// idempotent, because a Titanic stores one more request each time.
[[nodiscard]] service_options usual_options(std::string_view name,
                                            service_options of_all_others) noexcept;

class service_rules {
public:
  explicit service_rules(const broker_options& options);

  // The reference is valid as long as the rules.
  [[nodiscard]] const service_options& of(std::string_view name) const noexcept;

  // Returns whether a rule has exactly this name.
  [[nodiscard]] bool name(std::string_view service) const noexcept {
    return named_.find(service) != named_.end();
  }
  // Calls `visit` with each name that has a rule of its own.
  template <class Visitor>
  void for_each_name(Visitor visit) const {
    for (const auto& [name, rule] : named_) {
      visit(std::string_view{name}, rule);
    }
  }

private:
  struct prefix_rule {
    std::string prefix;
    service_options options;
  };

  // Returns the options of the longest prefix rule that fits, or those of all other services.
  [[nodiscard]] const service_options& fitting(std::string_view name) const noexcept;

  service_options others_;
  service_options titanic_request_;  // if no rule has this exact name
  std::map<std::string, service_options, std::less<>> named_;
  std::vector<prefix_rule> prefixes_;  // the longest prefix first
};

}  // namespace mdp
