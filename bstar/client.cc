#include "bstar/client.h"

#include <optional>
#include <utility>

namespace bstar {

client::client(boost::asio::any_io_executor executor, std::vector<std::string> servers,
               const client_options& options, zmtp::lazy_pirate_handlers handlers)
    : pirate_{std::move(executor),
              std::move(servers),
              {.timeout = options.timeout,
               .attempts = std::nullopt,
               .pause = options.settle,
               .socket = options.socket},
              std::move(handlers)} {}

}  // namespace bstar
