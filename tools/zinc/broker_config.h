#pragma once
// The settings of `zinc broker` from a file and from flags. Flags override the file.

#include "mdp/options.h"
#include "tools/zinc/commands.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace zinc {

// Names the place (file and line, file and field, or flag), the fault and the remedy.
class config_fault : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Applies the text of a file: JSON, in which comments are allowed. Throws config_fault.
void read_config(std::string_view text, const std::string& file, broker_arguments& to);

// Applies `NAME:KEY=VALUE,…`. Throws config_fault.
void read_service_flag(std::string_view text, broker_arguments& to);

// Returns the keys of the settings of a service, separated by commas.
[[nodiscard]] std::string service_keys();

// Returns the options with a rule for each service that has settings. A rule has the default of each
// setting that the service does not have.
[[nodiscard]] mdp::broker_options resolve(const broker_arguments& arguments);

// Returns whether settings differ that are not settings of services.
[[nodiscard]] bool differ_beyond_services(const broker_arguments& a, const broker_arguments& b);

// Returns the endpoints that each broker binds. If there are as many endpoints as brokers, each broker
// binds one. Else each broker binds every endpoint, and its ports are one above those of the broker
// before it. Throws config_fault.
[[nodiscard]] std::vector<std::vector<std::string>> endpoints_of_brokers(
    const broker_arguments& arguments);

}  // namespace zinc
