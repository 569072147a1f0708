// zinc cat

#include "tools/zinc/cat_command.h"

#include "tools/zinc/cat.h"
#include "zmtp/error.h"

#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <exception>

namespace zinc {

int run_cat(const cat_arguments& arguments) {
  boost::asio::io_context context{1};
  try {
    cat one{context, arguments};
    context.run();
    return one.code();
  } catch (const boost::system::system_error& e) {
    fmt::print(stderr, "zinc cat: {}\n", e.what());
    return e.code().category() == zmtp::zmtp_category() ? exit_code::misused : exit_code::failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "zinc cat: {}\n", e.what());
    return exit_code::failed;
  }
}

}  // namespace zinc
