#include "bstar/client.h"

#include <optional>

namespace bstar {

client::client(boost::asio::any_io_executor executor, std::vector<std::string> servers,
               const client_options& options)
    : pirate_{std::move(executor),
              std::move(servers),
              {.timeout = options.timeout, .attempts = std::nullopt, .pause = options.settle}} {}

}  // namespace bstar
