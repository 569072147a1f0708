#pragma once
// The code that the Freelance servers of the Guide share.

#include "tools/guide/program.h"
#include "zmtp/pattern/freelance_server.h"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>

namespace guide {

// Serves until a signal ends the program. Echoes requests in the plain form, and answers OK in the other forms.
[[nodiscard]] boost::asio::awaitable<int> serve_freelance(zmtp::freelance_form form,
                                                          std::string bind, std::string identity,
                                                          std::string_view greeting, bool verbose);

}  // namespace guide
