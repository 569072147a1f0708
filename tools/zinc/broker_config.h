#pragma once
// What `zinc broker` is told by a file and by flags, the flags having the last word.

#include "mdp/options.h"
#include "tools/zinc/commands.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace zinc {

// Names the place (file and line, file and field, or flag), what is wrong there and what would be right.
class config_fault : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Takes over what the text of a file says: JSON, with comments allowed. Throws config_fault.
void read_config(std::string_view text, const std::string& file, broker_arguments& to);

// Takes over `key=value,…` for the service of this name. Throws config_fault.
void read_service_flag(const std::string& service, std::string_view settings, broker_arguments& to);

// What may be set for a service, as a list in words.
[[nodiscard]] std::string service_keys();

// The options with a rule for each service that has settings. What is not set there is as it is for
// all others.
[[nodiscard]] mdp::broker_options resolve(const broker_arguments& arguments);

// Whether they differ in more than what they say of services.
[[nodiscard]] bool differ_beyond_services(const broker_arguments& a, const broker_arguments& b);

// What each of the brokers binds: all of them everything, at ports that are counted up from one broker
// to the next; or one endpoint each, where there are as many. Throws config_fault.
[[nodiscard]] std::vector<std::vector<std::string>> endpoints_of_brokers(
    const broker_arguments& arguments);

}  // namespace zinc
