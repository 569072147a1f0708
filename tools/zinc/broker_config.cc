#include "tools/zinc/broker_config.h"

#include "mdp/service_rules.h"
#include "tools/zinc/named_settings.h"
#include "tools/zinc/units.h"
#include "zmtp/endpoint.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse_options.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace zinc {

namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr size_range from_zero_bytes{.least = 0};

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

bool read(std::string_view text, milliseconds& to, const duration_range& range = {}) {
  to = parse_duration(text, range);
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

bool read_size(std::string_view text, std::size_t& to, const size_range& range = {}) {
  to = parse_size(text, range);
  return true;
}

bool read(std::string_view text, mdp::poison_policy& to) {
  to = text == "drop" ? mdp::poison_policy::drop : mdp::poison_policy::answer;
  return text == "drop" || text == "answer";
}

// A setting, the values that are valid, and the function that reads them.
template <class Options>
struct field {
  std::string_view name;
  std::string_view right;  // empty: `set` throws unit_error
  bool (*set)(Options& of, std::string_view text);
};

constexpr std::string_view right_flag = "true or false";

using service_field = field<mdp::service_options>;
constexpr service_field service_fields[] = {
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

using broker_field = field<broker_arguments>;
constexpr broker_field broker_fields[] = {
    {"threads", "a number from 1 to 1024",
     [](auto& of, auto text) { return read_number(text, 1, 1024, of.threads); }},
    {"heartbeat", {}, [](auto& of, auto text) { return read(text, of.options.heartbeat); }},
    {"liveness", "a number from 1 to 1000",
     [](auto& of, auto text) { return read_number(text, 1, 1000, of.options.liveness); }},
    {"drain",
     {},
     [](auto& of, auto text) { return read(text, of.drain, {.least = milliseconds{0}}); }},
    {"worker_in_flight", "a number from 1 to 1000000",
     [](auto& of, auto text) {
       return read_number(text, 1, 1'000'000, of.options.worker_in_flight);
     }},
    {"unknown_services", "a number from 0 to 1000000",
     [](auto& of, auto text) {
       return read_number(text, 0, 1'000'000, of.options.unknown_services);
     }},
    {"client_requests", "a number from 1 to 1000000000",
     [](auto& of, auto text) {
       return read_number(text, 1, 1'000'000'000, of.options.client_limit.requests);
     }},
    {"client_bytes",
     {},
     [](auto& of, auto text) { return read_size(text, of.options.client_limit.bytes); }},
    {"outcome_requests", "a number from 0 to 1000000000",
     [](auto& of, auto text) {
       return read_number(text, 0, 1'000'000'000, of.options.outcome_limit.requests);
     }},
    {"outcome_bytes",
     {},
     [](auto& of, auto text) {
       return read_size(text, of.options.outcome_limit.bytes, from_zero_bytes);
     }},
    {"outcome_time",
     {},
     [](auto& of, auto text) { return read(text, of.options.outcome_limit.time); }},
};

template <class Fields>
std::string names_of(const Fields& fields) {
  std::string names;
  for (const auto& one : fields) {
    names += names.empty() ? "" : ", ";
    names += one.name;
  }
  return names;
}

// Sets one field. `where` is the place of the field.
template <class Fields, class Options>
void set(const Fields& fields, Options& of, std::string_view name, std::string_view text,
         const std::string& where) {
  const auto known = std::find_if(std::begin(fields), std::end(fields),
                                  [&](const auto& one) { return one.name == name; });
  if (known == std::end(fields)) {
    throw config_fault{fmt::format("{}: unknown setting; give one of {}", where, names_of(fields))};
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
  set(service_fields, unused, change.key, change.value, where);
  to.changes.push_back(std::move(change));
}

// Returns the text of the value in a flag. Objects and lists have none.
std::optional<std::string> text_of(const json::value& v) {
  switch (v.kind()) {
    case json::kind::null: return "none";
    case json::kind::bool_: return v.get_bool() ? "true" : "false";
    case json::kind::int64: return std::to_string(v.get_int64());
    case json::kind::uint64: return std::to_string(v.get_uint64());
    case json::kind::double_: return fmt::format("{}", v.get_double());
    case json::kind::string: return std::string{v.get_string().data(), v.get_string().size()};
    case json::kind::array:
    case json::kind::object: break;
  }
  return std::nullopt;
}

json::value parse(std::string_view text, const std::string& file) {
  json::parse_options tolerant;
  tolerant.allow_comments = true;
  tolerant.allow_trailing_commas = true;
  json::parser parser{{}, tolerant};
  json::error_code ec;
  const auto consumed = parser.write_some(text.data(), text.size(), ec);
  if (!ec && consumed < text.size()) {
    ec = json::error::extra_data;
  }
  if (ec) {
    const auto before = text.substr(0, consumed);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    throw config_fault{
        fmt::format("{}:{}: not valid JSON: {}; give an object such as "
                    R"({{"bind": ["tcp://*:5555"], "services": {{}}}})",
                    file, line, ec.message())};
  }
  return parser.release();
}

const json::object& object_at(const json::value& v, const std::string& where) {
  if (!v.is_object()) {
    throw config_fault{where + ": not an object; give settings in braces"};
  }
  return v.get_object();
}

template <class Visitor>
void for_each_setting(const json::value& v, const std::string& where, Visitor visit) {
  for (const auto& [key, value] : object_at(v, where)) {
    const std::string name{key.data(), key.size()};
    const auto place = fmt::format("{}.{}", where, name);
    const auto text = text_of(value);
    if (!text) {
      throw config_fault{place + ": an object or a list is not a value; give one value"};
    }
    visit(name, *text, place);
  }
}

std::vector<std::string> read_endpoints(const json::value& v, const std::string& where) {
  const json::array one{v};
  std::vector<std::string> endpoints;
  for (const auto& each : v.is_array() ? v.get_array() : one) {
    if (!each.is_string()) {
      throw config_fault{
          where + ": not an endpoint; give for example \"tcp://*:5555\", or a list of endpoints"};
    }
    endpoints.emplace_back(each.get_string().data(), each.get_string().size());
  }
  if (endpoints.empty()) {
    throw config_fault{where + ": the list is empty; give at least one endpoint"};
  }
  return endpoints;
}

}  // namespace

void read_config(std::string_view text, const std::string& file, broker_arguments& to) {
  const auto all = parse(text, file);
  for (const auto& [key, value] : object_at(all, file)) {
    const std::string name{key.data(), key.size()};
    const auto where = fmt::format("{}: {}", file, name);
    if (name == "bind") {
      to.bind = read_endpoints(value, where);
    } else if (name == "default") {
      for_each_setting(value, where, [&](const auto& field, const auto& set_to, const auto& place) {
        set(service_fields, to.options.services, field, set_to, place);
      });
    } else if (name == "services") {
      for (const auto& [service, settings] : object_at(value, where)) {
        const std::string of{service.data(), service.size()};
        const auto at = fmt::format("{}.{}", where, of);
        check_name(of, at);
        to.changes.push_back({of, {}, {}});  // so that the broker lists a service without settings
        for_each_setting(settings, at,
                         [&](const auto& field, const auto& set_to, const auto& place) {
                           add_change({of, field, set_to}, place, to);
                         });
      }
    } else if (const auto single = text_of(value)) {
      set(broker_fields, to, name, *single, where);
    } else {
      throw config_fault{
          fmt::format("{}: unknown object or list; give one of bind, default, services, or one "
                      "value for {}",
                      where, names_of(broker_fields))};
    }
  }
}

void read_service_flag(std::string_view text, broker_arguments& to) {
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

std::string service_keys() { return names_of(service_fields); }

mdp::broker_options resolve(const broker_arguments& arguments) {
  auto options = arguments.options;
  for (const auto& change : arguments.changes) {
    auto rule = std::find_if(options.rules.begin(), options.rules.end(),
                             [&](const auto& one) { return one.name == change.service; });
    if (rule == options.rules.end()) {
      rule = options.rules.insert(
          rule, {change.service, mdp::usual_options(change.service, options.services)});
    }
    if (!change.key.empty()) {
      set(service_fields, rule->options, change.key, change.value, change.service);
    }
  }
  return options;
}

bool differ_beyond_services(const broker_arguments& a, const broker_arguments& b) {
  const auto rest = [](const broker_arguments& of) {
    return std::tie(of.bind, of.threads, of.drain, of.options.heartbeat, of.options.liveness,
                    of.options.worker_in_flight, of.options.unknown_services,
                    of.options.client_limit.requests, of.options.client_limit.bytes,
                    of.options.outcome_limit.requests, of.options.outcome_limit.bytes,
                    of.options.outcome_limit.time);
  };
  return rest(a) != rest(b);
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
          fmt::format("--threads {}: {} has no port for each broker; give a tcp:// endpoint, or "
                      "{} endpoints",
                      brokers, text, brokers)};
    }
    if (tcp->port != 0 && tcp->port + brokers - 1 > std::numeric_limits<std::uint16_t>::max()) {
      throw config_fault{
          fmt::format("--threads {}: {} needs ports above 65535; give a port up to {}", brokers,
                      text, std::numeric_limits<std::uint16_t>::max() - (brokers - 1))};
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
