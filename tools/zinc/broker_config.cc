#include "tools/zinc/broker_config.h"

#include "mdp/service_rules.h"
#include "tools/zinc/named_settings.h"
#include "tools/zinc/units.h"
#include "zmtp/endpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace zinc {

namespace {

using std::chrono::milliseconds;

// Each function reads the text of a flag, and returns false or throws unit_error if the text is not valid.

bool read(std::string_view text, bool& to) {
  to = text == "true";
  return to || text == "false";
}

template <class Number>
bool read_number(std::string_view text, std::int64_t least, std::int64_t most, Number& to) {
  std::int64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [read_to, ec] = std::from_chars(text.data(), end, number);
  to = static_cast<Number>(number);
  return ec == std::errc{} && read_to == end && number >= least && number <= most;
}

bool read(std::string_view text, milliseconds& to) {
  to = parse_duration(text);
  return true;
}

bool read(std::string_view text, std::optional<milliseconds>& to) {
  if (text == "none") {
    to.reset();
    return true;
  }
  try {
    to = parse_duration(text);
  } catch (const unit_error& e) {
    throw unit_error{fmt::format("{}, or none", e.what())};
  }
  return true;
}

bool read(std::string_view text, std::optional<std::size_t>& to) {
  if (text == "none") {
    to.reset();
    return true;
  }
  return read_number(text, 1, 1'000'000'000, to.emplace());
}

bool read_size(std::string_view text, std::size_t& to) {
  to = parse_size(text);
  return true;
}

bool read(std::string_view text, mdp::poison_policy& to) {
  to = text == "drop" ? mdp::poison_policy::drop : mdp::poison_policy::answer;
  return text == "drop" || text == "answer";
}

// A setting, the values that are valid, and the function that reads them.
struct field {
  std::string_view name;
  std::string_view right;  // empty: `set` throws unit_error
  bool (*set)(mdp::service_options& of, std::string_view text);
};

constexpr std::string_view right_flag = "true or false";
// The name with the settings that services have by default.
constexpr std::string_view every_service = "*";

constexpr field fields[] = {
    {"idempotent", right_flag, [](auto& of, auto text) { return read(text, of.idempotent); }},
    {"attempts", "a number from 1 to 1000",
     [](auto& of, auto text) { return read_number(text, 1, 1000, of.attempts); }},
    {"poison", "answer or drop", [](auto& of, auto text) { return read(text, of.poison); }},
    {"unserved_timeout", {}, [](auto& of, auto text) { return read(text, of.unserved_timeout); }},
    {"queue_timeout", {}, [](auto& of, auto text) { return read(text, of.queue_timeout); }},
    {"busy_expiry", {}, [](auto& of, auto text) { return read(text, of.busy_expiry); }},
    {"busy_timeout", {}, [](auto& of, auto text) { return read(text, of.busy_timeout); }},
    {"raw_client_address", right_flag,
     [](auto& of, auto text) { return read(text, of.raw_client_address); }},
    {"bytes", {}, [](auto& of, auto text) { return read_size(text, of.limit.bytes); }},
    {"requests", "a number from 1 to 1000000000, or none",
     [](auto& of, auto text) { return read(text, of.limit.requests); }},
};

// Sets one field. `where` is the place of the field.
void set(mdp::service_options& of, std::string_view name, std::string_view text,
         const std::string& where) {
  const auto known =
      std::ranges::find_if(fields, [&](const auto& one) { return one.name == name; });
  if (known == std::end(fields)) {
    throw config_fault{fmt::format("{}: unknown setting; give one of {}", where, service_keys())};
  }
  try {
    if (!known->set(of, text)) {
      throw config_fault{fmt::format("{}: '{}' is not valid; give {}", where, text, known->right)};
    }
  } catch (const unit_error& e) {
    throw config_fault{fmt::format("{}: {}", where, e.what())};
  }
}

void check_name(std::string_view service, const std::string& where) {
  const auto name = service.ends_with('*') ? service.substr(0, service.size() - 1) : service;
  const auto ec =
      name.empty() && !service.empty() ? boost::system::error_code{} : mdp::check_service(name);
  if (ec) {
    throw config_fault{fmt::format("{}: {}", where, ec.message())};
  }
  if (mdp::is_reserved(name)) {
    throw config_fault{
        fmt::format("{}: {}", where, mdp::make_error_code(mdp::errc::service_reserved).message())};
  }
}

void add_change(service_change change, const std::string& where, broker_arguments& to) {
  mdp::service_options unused;
  set(unused, change.key, change.value, where);
  to.changes.push_back(std::move(change));
}

}  // namespace

void read_service_flag(std::string_view text, broker_arguments& to) {
  if (text.find_first_of(":=") == std::string_view::npos) {
    if (text == every_service) {
      throw config_fault{"'*' has no settings; give *:KEY=VALUE"};
    }
    check_name(text, fmt::format("'{}'", text));
    to.changes.push_back({std::string{text}, {}, {}});  // so that the broker lists it
    return;
  }
  named_settings all;
  try {
    all = parse_named_settings(text);
  } catch (const settings_error& e) {
    throw config_fault{fmt::format("{}; keys: {}", e.what(), service_keys())};
  }
  check_name(all.name, fmt::format("'{}'", text));
  for (auto& [key, value] : all.settings) {
    const auto place = fmt::format("{}:{}", all.name, key);
    add_change({all.name, std::move(key), std::move(value)}, place, to);
  }
}

std::string service_keys() {
  std::string names;
  for (const auto& one : fields) {
    names += names.empty() ? "" : ", ";
    names += one.name;
  }
  return names;
}

mdp::broker_options resolve(const broker_arguments& arguments) {
  auto options = arguments.options;
  for (const auto& change : arguments.changes) {
    if (change.service == every_service) {
      set(options.services, change.key, change.value, change.service);
    }
  }
  options.services.unserved_timeout =
      arguments.unserved_timeout.value_or(options.services.unserved_timeout);
  for (const auto& change : arguments.changes) {
    if (change.service == every_service) {
      continue;
    }
    auto rule = std::find_if(options.rules.begin(), options.rules.end(),
                             [&](const auto& one) { return one.name == change.service; });
    if (rule == options.rules.end()) {
      rule = options.rules.insert(
          rule, {change.service, mdp::usual_options(change.service, options.services)});
    }
    if (!change.key.empty()) {
      set(rule->options, change.key, change.value, change.service);
    }
  }
  return options;
}

std::vector<std::vector<std::string>> endpoints_of_brokers(const broker_arguments& arguments) {
  const auto brokers = arguments.threads;
  std::vector<std::vector<std::string>> all(brokers);
  if (brokers == 1) {
    all[0] = arguments.bind;
    return all;
  }
  if (arguments.bind.size() == brokers) {
    for (unsigned i = 0; i < brokers; ++i) {
      all[i].push_back(arguments.bind[i]);
    }
    return all;
  }
  for (const auto& text : arguments.bind) {
    const auto first = zmtp::endpoint::parse(text);
    const auto* const tcp = first ? first->tcp() : nullptr;
    if (tcp == nullptr) {
      throw config_fault{
          fmt::format("{} has no port for each broker; give a tcp:// endpoint, or {} endpoints",
                      text, brokers)};
    }
    if (tcp->port != 0 && tcp->port + brokers - 1 > std::numeric_limits<std::uint16_t>::max()) {
      throw config_fault{fmt::format("{} needs ports above 65535; give a port up to {}", text,
                                     std::numeric_limits<std::uint16_t>::max() - (brokers - 1))};
    }
    for (unsigned i = 0; i < brokers; ++i) {
      auto next = *tcp;
      next.port = static_cast<std::uint16_t>(tcp->port == 0 ? 0 : tcp->port + i);
      all[i].push_back(zmtp::endpoint{next}.to_string());
    }
  }
  return all;
}

}  // namespace zinc
