#include "zmtp/blocking/context.h"

#include "zmtp/blocking/engine.h"

namespace zmtp::blocking {

context::context(std::chrono::milliseconds longest_close)
    : engine_{engine::start()}, longest_close_{longest_close} {}

context::~context() {
  if (!engine_->forked()) {
    engine_->shut_down(longest_close_);
  }
}

boost::asio::any_io_executor context::get_executor() const { return engine_->executor(); }

}  // namespace zmtp::blocking
