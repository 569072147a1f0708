#pragma once
// The settings of services, which `zinc broker` has as values of --service, and the endpoints of its brokers.

#include "mdp/options.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/config_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace zinc {

// Applies `NAME:KEY=VALUE,…`, or the NAME of a service without settings. The name * has the defaults of all services.
// Throws config_fault.
void read_service_flag(std::string_view text, broker_arguments& to);

// Returns the keys of the settings of a service, separated by commas.
[[nodiscard]] std::string service_keys();

// Returns the options with a rule for each service that has settings. A rule has the default of each
// setting that the service does not have.
[[nodiscard]] mdp::broker_options resolve(const broker_arguments& arguments);

// Returns the endpoints that each broker binds. If there are as many endpoints as brokers, each broker
// binds one. Else each broker binds every endpoint, and its ports are one above those of the broker
// before it. Throws config_fault.
[[nodiscard]] std::vector<std::vector<std::string>> endpoints_of_brokers(
    const broker_arguments& arguments);

}  // namespace zinc
