#pragma once
// What zinc request does around its requests, durable or not.

#include "mdp/options.h"
#include "tools/zinc/commands.h"

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <cstdio>

namespace zinc {

// `Requester` is made of a context and the arguments, and reports its exit code once the context has
// nothing more to do.
template <class Requester>
[[nodiscard]] int run_requests(const request_arguments& arguments) {
  if (const auto ec = mdp::check_service(arguments.service)) {
    fmt::print(stderr, "zinc request: {}\n", ec.message());
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
  }
}

}  // namespace zinc
