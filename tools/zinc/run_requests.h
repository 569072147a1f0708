#pragma once
// Runs the requests of zinc request, durable or not.

#include "mdp/options.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/file_bytes.h"

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <stdexcept>

namespace zinc {

// Constructs a `Requester` from a context and the arguments, runs the context, and returns the exit code.
template <class Requester>
[[nodiscard]] int run_requests(const request_arguments& arguments) {
  if (const auto ec = mdp::check_service(arguments.service); ec && arguments.fetch.empty()) {
    fmt::print(stderr, "zinc request: --service '{}': {}\n", arguments.service, ec.message());
    return exit_code::misused;
  }
  boost::asio::io_context context{1};
  try {
    Requester run{context, arguments};
    context.run();
    return run.report();
  } catch (const boost::system::system_error& e) {
    fmt::print(stderr, "zinc request: {}\n", e.what());
    return exit_code::misused;
  } catch (const too_large& e) {
    fmt::print(stderr, "zinc request: --file: {}\n", e.what());
    return exit_code::misused;
  } catch (const std::runtime_error& e) {
    fmt::print(stderr, "zinc request: {}\n", e.what());
    return exit_code::failed;
  }
}

}  // namespace zinc
