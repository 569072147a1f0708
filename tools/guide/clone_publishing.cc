#include "tools/guide/clone_publishing.h"

#include "tools/guide/random_entry.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <stdexcept>

namespace guide {

namespace asio = boost::asio;

namespace {

// Updates in one step. The executor does other work between two steps.
constexpr int at_once = 64;

asio::awaitable<void> publish_on(chp::server& server, const publishing_settings& is) {
  random_entry entry;
  co_await pause(is.pause);
  for (;;) {
    const bool floods = is.interval.count() == 0;
    for (int left = floods ? at_once : 1; left != 0; --left) {
      if (!server.set(entry.key(), entry.value())) {
        throw std::runtime_error{"there are no numbers left for updates"};
      }
    }
    if (floods) {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    } else {
      co_await pause(is.interval);
    }
  }
}

}  // namespace

void add_flags(command_line& line, publishing_settings& is) {
  line.milliseconds("--pause", is.pause, "time before the first update", 0);
  line.milliseconds("--interval", is.interval,
                    "time between updates; 0 publishes as fast as possible", 0);
  line.flag("--python", is.python,
            "use sequence numbers of four bytes, for clients of the Guide in Python");
}

chp::server_options options_of(const publishing_settings& is) {
  chp::server_options options;
  options.wire_format = is.python ? chp::form::kvsimple_4 : chp::form::kvsimple_8;
  return options;
}

asio::awaitable<int> publish(chp::server& server, const publishing_settings& is) {
  try {
    co_await publish_on(server, is);
  } catch (const boost::system::system_error& e) {
    if (e.code() != asio::error::operation_aborted) {
      throw;
    }
  }
  say(" Interrupted\n{} messages out", server.status().number);
  co_return exit_code::done;
}

}  // namespace guide
