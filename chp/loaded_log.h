#pragma once
// A store that a server begins with.

#include "chp/log_store.h"
#include "chp/server_options.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>

namespace chp {

struct loaded_log {
  std::shared_ptr<log_store> store;
  loaded_state found;
};

// Loads a store for a server with these options. The store must use the same executor. The handler
// is called once, never inside this call. The context must live and run until then, because the
// thread of the store posts to it.
// Errors: those of log_store::load().
void load_log(const boost::asio::any_io_executor& executor, std::shared_ptr<log_store> store,
              const server_options& options,
              std::function<void(boost::system::error_code, loaded_log)> on_loaded);

}  // namespace chp
