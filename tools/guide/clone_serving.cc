#include "tools/guide/clone_serving.h"

#include "chp/server.h"

#include <boost/asio/this_coro.hpp>

#include <memory>
#include <utility>

namespace guide {

boost::asio::awaitable<int> serve_map(const serving_settings& is) {
  auto options = is.options;
  if (is.kvmsg || is.python) {
    options.wire_format = is.kvmsg ? chp::form::kvmsg : chp::form::kvsimple_4;
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto log = std::make_shared<clone_log>(is.words, is.print);
  chp::server_handlers handlers;
  handlers.on_turn = [log](const chp::server_status& now) { log->on_turn(now); };
  chp::server server{executor, options, std::move(handlers)};
  server.bind(is.bind);
  co_await until_stopped();
  if (is.counts) {
    say(" Interrupted\n{} messages handled", server.status().number);
  }
  co_return exit_code::done;
}

}  // namespace guide
