#include "zmtp/simulation/process.h"

#include "zmtp/engine/context_service.h"
#include "zmtp/engine/process_resources.h"
#include "zmtp/simulation/simulated_runtime.h"
#include "zmtp/simulation/simulated_stream.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <utility>

namespace zmtp::simulation {

namespace asio = boost::asio;

process::process(simulated_network& net, std::string host)
    : net_{net}, machine_{net.add_host()}, host_name_{std::move(host)} {}

void process::start(program what) {
  // Without locks, because a simulation has one thread and looks into each context at each step.
  context_ = std::make_unique<asio::io_context>(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE);
  work_ = std::make_unique<work>(context_->get_executor());
  runtime::install(*context_, std::make_unique<simulated_runtime>(net_.here(), clock_));
  auto network = std::make_unique<process_network>(net_, machine_, host_name_, wrapper_);
  network_ = network.get();
  transport::network::install(*context_, std::move(network));
  const memory_limits budget{.queued = queued_, .partial_messages = partial_messages_};
  context_service::install(executor(), std::make_shared<process_resources>(budget));
  paused_ = false;
  asio::post(*context_, [this, what = std::move(what)] { program_ = what(executor()); });
}

void process::run(std::function<asio::awaitable<void>()> main) {
  start([main = std::move(main)](const asio::any_io_executor& in) {
    auto kept = std::make_shared<std::function<asio::awaitable<void>()>>(main);
    asio::co_spawn(in, (*kept)(), [](const std::exception_ptr& thrown) {
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    });
    return kept;
  });
}

bool process::run_one() { return running() && !paused_ && context_->poll_one() != 0; }

void process::kill(death how) {
  if (!running()) {
    return;
  }
  net_.end_process(machine_, how == death::power);
  program_.reset();
  network_->abandon();
  work_.reset();
  context_.reset();
}

}  // namespace zmtp::simulation
