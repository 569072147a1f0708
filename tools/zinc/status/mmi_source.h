#pragma once
// The status of a broker and its Titanic, over MMI.

#include "tools/zinc/status/source.h"

namespace zinc::status {

// Throws status::fault if the endpoint or an option is not valid.
[[nodiscard]] std::unique_ptr<source> open_mmi(const boost::asio::any_io_executor& executor,
                                               const std::string& endpoint,
                                               const mdp::client_options& options);

}  // namespace zinc::status
