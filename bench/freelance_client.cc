// Freelance client of three servers, until SIGTERM: one call after the other. Prints how long the calls took, and how
// many took longer than a ping timeout. A call without its own answer ends the program with 1.
#include "zmtp/pattern/freelance_client.h"

#include "bench/support/arguments.h"
#include "bench/support/steady_calls.h"
#include "bench/support/stop_request.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace asio = boost::asio;
using clock_type = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds call_timeout{20'000};

struct calls {
  std::uint64_t begun = 0;
  std::vector<clock_type::duration> taken;
};

asio::awaitable<void> call(zmtp::freelance_client& client, calls& all) {
  asio::steady_timer pause{co_await asio::this_coro::executor};
  while (!bench::stop_requested()) {
    const auto body = std::to_string(++all.begun);
    const auto begin = clock_type::now();
    const auto answer = co_await client.async_call(zmtp::message{std::string_view{body}},
                                                   {.idempotent = true}, asio::use_awaitable);
    all.taken.push_back(clock_type::now() - begin);
    if (answer != zmtp::message{std::string_view{body}}) {
      bench::fail("the answer is not to this call: is another program at this endpoint?");
    }
    if (all.begun == 1) {
      std::puts("ready: answered");
      std::fflush(stdout);
    }
    pause.expires_after(bench::pause_between_calls);
    co_await pause.async_wait(asio::use_awaitable);
  }
  client.stop();
}

void report(calls& all, milliseconds ping_timeout, std::uint64_t passed_over) {
  auto& taken = all.taken;
  std::sort(taken.begin(), taken.end());
  const auto above = taken.end() - std::upper_bound(taken.begin(), taken.end(), ping_timeout);
  const auto microseconds = [](clock_type::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
  };
  std::printf("calls: %" PRIu64 " [call]\n", all.begun);
  std::printf("answers: %zu [call]\n", taken.size());
  std::printf("latency p50: %.1f [us]\n", microseconds(taken[taken.size() / 2]));
  std::printf("latency p99: %.1f [us]\n", microseconds(taken[taken.size() * 99 / 100]));
  std::printf("longest call: %.1f [us]\n", microseconds(taken.back()));
  std::printf("calls above a ping timeout: %td [call]\n", above);
  std::printf("servers passed over: %" PRIu64 " [time]\n", passed_over);
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "MODEL PING_TIMEOUT_MS SERVER SERVER SERVER",
                                   bench::longest_run_seconds};
  bench::accept_stop_requests();
  const bool directed = arguments.text(0) == "directed";
  if (!directed && arguments.text(0) != "shotgun") {
    bench::misused("the model is neither shotgun nor directed");
  }
  const milliseconds ping_timeout{arguments.number(1)};
  // In the proportions of the defaults.
  const zmtp::freelance_client_options options{
      .model = directed ? zmtp::freelance_model::directed : zmtp::freelance_model::shotgun,
      .timeout = call_timeout,
      .ping_interval = ping_timeout * 4,
      .ping_timeout = ping_timeout,
      .server_ttl = ping_timeout * 12};
  asio::io_context context{1};
  zmtp::freelance_client client{
      context.get_executor(),
      {arguments.endpoint(2), arguments.endpoint(3), arguments.endpoint(4)},
      options};
  calls all;
  co_spawn(context, call(client, all), zmtp::rethrow);
  context.run();
  report(all, ping_timeout, client.counters().passed_over);
}
