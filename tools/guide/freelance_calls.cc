#include "tools/guide/freelance_calls.h"

#include "zmtp/pattern/freelance_client.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace guide {

namespace asio = boost::asio;

asio::awaitable<int> ask_freelance(const call_settings& settings) {
  using namespace std::string_view_literals;
  using clock = std::chrono::steady_clock;
  const auto executor = co_await asio::this_coro::executor;
  zmtp::freelance_client client{executor, settings.servers, settings.options};
  const zmtp::freelance_call_options how{.idempotent = true};
  const auto token = asio::as_tuple(asio::use_awaitable);
  const auto began = clock::now();
  std::size_t answered = 0;
  for (; answered != settings.count; ++answered) {
    zmtp::message question{"random name"sv};
    const auto [ec, answer] = co_await client.async_call(std::move(question), how, token);
    if (ec == asio::error::operation_aborted) {
      co_return exit_code::done;
    }
    if (ec) {
      say("E: name service not available, aborting");
      break;
    }
  }
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - began);
  say("Average round trip cost: {} usec",
      took.count() /
          static_cast<std::chrono::microseconds::rep>(std::max<std::size_t>(answered, 1)));
  co_return answered == settings.count ? exit_code::done : exit_code::failed;
}

}  // namespace guide
