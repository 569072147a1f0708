#pragma once
// A status as text. Pure.

#include "tools/zinc/status/table.h"
#include "tools/zinc/status/value.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <span>
#include <string>
#include <string_view>

namespace zinc::status {

// The groups that have a record for each service, worker and client, by the kind of server.
inline constexpr std::string_view service_groups[] = {"service", "titanic_service"};
inline constexpr std::string_view worker_groups[] = {"worker"};
inline constexpr std::string_view client_groups[] = {"client"};

// Returns a line such as `broker 0.1.0: ready`.
[[nodiscard]] std::string head_of(const boost::json::value& status);
// Removes the groups of workers and clients, which a server of HTTP sends too.
void remove_peers(boost::json::value& status);
// Returns all figures but those of workers and clients.
[[nodiscard]] std::string status_text(const boost::json::value& status);
// Returns a remark if the list of workers or clients has only some of them, as over HTTP. `lists`: its names.
[[nodiscard]] std::string cut_text(const std::vector<group>& all,
                                   std::span<const std::string_view> lists);
[[nodiscard]] table table_of(const group& of);
// Returns the records as they are in the status.
[[nodiscard]] boost::json::array list_of(const group& of);
// Returns the title of a column: `LAST_RECEIVED`.
[[nodiscard]] std::string title_of(const std::string& key);

}  // namespace zinc::status
