#pragma once
// The code that the Freelance clients of the Guide share: sends one request after the other, and measures the time.

#include "tools/guide/program.h"
#include "zmtp/pattern/freelance_client_state.h"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace guide {

struct call_settings {
  std::vector<std::string> servers;
  std::size_t count = 10'000;
  zmtp::freelance_client_options options;
};

// Sends the requests and prints the average time of a round trip. The requests are idempotent: any server may reply.
[[nodiscard]] boost::asio::awaitable<int> ask_freelance(const call_settings& settings);

}  // namespace guide
