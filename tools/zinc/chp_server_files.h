#pragma once
// The files of zinc chp server: its epoch and its store.

#include "bstar/state_message.h"
#include "chp/loaded_log.h"
#include "tools/zinc/chp_commands.h"

#include <boost/asio/io_context.hpp>

#include <optional>
#include <string>

namespace zinc {

// Returns an epoch above every epoch that this server had, or 0 without a file. The epoch is on
// disk before it is used. Throws boost::system::system_error.
[[nodiscard]] bstar::epoch next_epoch(const std::string& path);

// Returns what the store has. Without a store, returns nothing. Runs `context`, which has no other
// work yet. From then on, only the user of this process may read new files. Throws
// boost::system::system_error.
[[nodiscard]] std::optional<chp::loaded_log> load_store(boost::asio::io_context& context,
                                                        const chp_server_arguments& arguments);

}  // namespace zinc
