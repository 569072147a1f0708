#pragma once
// What the Freelance servers of the Guide have in common.

#include "tools/guide/program.h"
#include "zmtp/pattern/freelance_server.h"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>

namespace guide {

// Serves until it is stopped: echoes in the plain form, and answers OK in the others.
[[nodiscard]] boost::asio::awaitable<int> serve_freelance(zmtp::freelance_form form,
                                                          std::string bind, std::string identity,
                                                          std::string_view greeting, bool verbose);

}  // namespace guide
