#include "tools/guide/pirate_work.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace guide {

namespace asio = boost::asio;

void add_work(command_line& line, work_settings& settings) {
  line.endpoint("--connect", settings.connect, "queue to connect to: its endpoint for workers");
  line.milliseconds("--work", settings.work, "time to process a request", 0);
  line.milliseconds("--overload", settings.overload, "additional time of a simulated overload", 0);
  line.flag("--calm", settings.calm, "do not simulate faults");
}

asio::awaitable<int> work(const work_settings& settings, zmtp::pirate_worker_options options,
                          std::string prefix,
                          std::function<void(const zmtp::pirate_worker_event&)> on_event) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer arrival{executor};
  std::deque<zmtp::held_request> arrived;
  zmtp::pirate_worker worker{executor, settings.connect, options,
                             [&](zmtp::held_request request) {
                               arrived.push_back(std::move(request));
                               arrival.cancel();
                             },
                             std::move(on_event)};
  simulated_faults faults{!settings.calm, 5};
  for (;;) {
    if (arrived.empty()) {
      arrival.expires_at(asio::steady_timer::time_point::max());
      static_cast<void>(co_await arrival.async_wait(asio::as_tuple(asio::use_awaitable)));
    }
    if ((co_await asio::this_coro::cancellation_state).cancelled() !=
        asio::cancellation_type::none) {
      co_return exit_code::done;
    }
    if (arrived.empty()) {
      continue;
    }
    switch (faults.next()) {
      case trouble::crash:
        say("I: {}simulating a crash", prefix);
        worker.stop();
        co_return exit_code::done;
      case trouble::overload:
        say("I: {}simulating CPU overload", prefix);
        co_await pause(settings.overload);
        break;
      case trouble::none: break;
    }
    say("I: {}normal reply", prefix);
    co_await pause(settings.work);
    auto body = std::move(arrived.front().body());
    // If the worker has lost the queue, the client resends the request.
    static_cast<void>(arrived.front().reply(std::move(body)));
    arrived.pop_front();
  }
}

}  // namespace guide
