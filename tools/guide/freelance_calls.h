#pragma once
// What the Freelance clients of the Guide have in common: one question after the other, and how long they took.

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

// Any server may answer each of the questions, which are idempotent.
[[nodiscard]] boost::asio::awaitable<int> ask_freelance(const call_settings& settings);

}  // namespace guide
