// Majordomo client, until SIGTERM: calls a service a few milliseconds after each answer, and prints when the answer
// came. A request may run twice, so the client repeats it to a broker that was started again.
#include "bench/support/arguments.h"
#include "bench/support/steady_calls.h"
#include "bench/support/stop_request.h"
#include "mdp/client.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

namespace asio = boost::asio;

// As many as a libzmq client, which has no limit.
constexpr unsigned attempts = 1'000'000;

asio::awaitable<void> call(mdp::client& client, std::string service) {
  asio::steady_timer pause{co_await asio::this_coro::executor};
  for (std::uint64_t number = 1; !bench::stop_requested(); ++number) {
    const auto body = std::to_string(number);
    const auto answer = co_await client.async_request(
        service, zmtp::message{std::string_view{body}}, asio::use_awaitable);
    if (answer != zmtp::message{std::string_view{body}}) {
      bench::fail("the answer is not to this request: is another program at this endpoint?");
    }
    bench::print_answer(number);
    pause.expires_after(bench::pause_between_calls);
    co_await pause.async_wait(asio::use_awaitable);
  }
  client.stop();
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SERVICE TIMEOUT_MS",
                                   bench::longest_run_seconds};
  bench::accept_stop_requests();
  asio::io_context context{1};
  mdp::client_options options;
  options.timeout = std::chrono::milliseconds{arguments.number(2)};
  options.idempotent = true;
  options.attempts = attempts;
  mdp::client client{context.get_executor(), arguments.endpoint(0), options};
  co_spawn(context, call(client, arguments.text(1)), zmtp::rethrow);
  context.run();
}
