#include "mdp/service_rules.h"

#include <algorithm>
#include <utility>

namespace mdp {

namespace {

using namespace std::chrono_literals;

// Raises values that would stop a service to the smallest value that works.
service_options workable(service_options options) noexcept {
  options.attempts = options.idempotent ? std::max(options.attempts, 1U) : 1;
  if (options.busy_expiry) {
    options.busy_expiry = std::max(*options.busy_expiry, 1ms);
  }
  if (options.busy_timeout) {
    options.busy_timeout = std::max(*options.busy_timeout, 1ms);
  }
  options.limit.bytes = std::max<std::size_t>(options.limit.bytes, 1);
  if (options.limit.requests) {
    options.limit.requests = std::max<std::size_t>(*options.limit.requests, 1);
  }
  return options;
}

// In 9/TSP, Titanic stores one more request each time. titanic.submit has an id and can be
// repeated.
constexpr std::string_view titanic_request = "titanic.request";

}  // namespace

service_options usual_options(std::string_view name, service_options of_all_others) noexcept {
  of_all_others.idempotent = of_all_others.idempotent && name != titanic_request;
  return of_all_others;
}

service_rules::service_rules(const broker_options& options) : others_{workable(options.services)} {
  for (const auto& rule : options.rules) {
    if (rule.name.ends_with('*')) {
      prefixes_.push_back({rule.name.substr(0, rule.name.size() - 1), workable(rule.options)});
    } else {
      named_.insert_or_assign(rule.name, workable(rule.options));
    }
  }
  // Reverses the order, so that the last rule of several with the same name comes first.
  std::reverse(prefixes_.begin(), prefixes_.end());
  std::stable_sort(prefixes_.begin(), prefixes_.end(),
                   [](const auto& a, const auto& b) { return a.prefix.size() > b.prefix.size(); });
  titanic_request_ = workable(usual_options(titanic_request, fitting(titanic_request)));
}

const service_options& service_rules::of(std::string_view name) const noexcept {
  if (const auto named = named_.find(name); named != named_.end()) {
    return named->second;
  }
  return name == titanic_request ? titanic_request_ : fitting(name);
}

const service_options& service_rules::fitting(std::string_view name) const noexcept {
  const auto fits = std::find_if(prefixes_.begin(), prefixes_.end(),
                                 [&](const auto& rule) { return name.starts_with(rule.prefix); });
  return fits != prefixes_.end() ? fits->options : others_;
}

}  // namespace mdp
