#pragma once
// The status of a server that runs with --http.

#include "tools/zinc/status/source.h"

namespace zinc::status {

// `address`: http://HOST:PORT. Throws status::fault if it is not valid.
[[nodiscard]] std::unique_ptr<source> open_http(const boost::asio::any_io_executor& executor,
                                                const std::string& address,
                                                std::chrono::milliseconds timeout);

}  // namespace zinc::status
