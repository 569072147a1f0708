#include "tools/guide/program.h"

#include "tools/zinc/stop_signals.h"
#include "zmtp/error.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <cstdio>
#include <exception>

namespace guide {

namespace asio = boost::asio;

namespace {

int code_of(const std::exception_ptr& thrown, const char* name) {
  try {
    std::rethrow_exception(thrown);
  } catch (const asio::multiple_exceptions& all) {
    // Several coroutines that were awaited together threw. The first exception counts.
    return code_of(all.first_exception(), name);
  } catch (const boost::system::system_error& e) {
    if (e.code() == asio::error::operation_aborted) {
      return exit_code::done;
    }
    fmt::print(stderr, "{}: {}\n", name, e.what());
    // Errors of this category mean a bad endpoint or option.
    return e.code().category() == zmtp::zmtp_category() ? exit_code::misused : exit_code::failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", name, e.what());
  }
  return exit_code::failed;
}

}  // namespace

int run(command_line& line, int argc, char** argv,
        const std::function<asio::awaitable<int>()>& body) {
  if (const auto code = line.parse(argc, argv)) {
    return *code;
  }
  asio::io_context context{1};
  asio::cancellation_signal stop;
  zinc::stop_signals signals{context.get_executor(),
                             [&] { stop.emit(asio::cancellation_type::terminal); }};
  int code = exit_code::done;
  const auto on_end = [&](const std::exception_ptr& thrown, int returned) {
    code = thrown ? code_of(thrown, argv[0]) : returned;
    signals.cancel();
  };
  asio::co_spawn(context, body, asio::bind_cancellation_slot(stop.slot(), on_end));
  context.run();
  return code;
}

asio::awaitable<void> pause(std::chrono::milliseconds time) {
  asio::steady_timer timer{co_await asio::this_coro::executor, time};
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> until_stopped() {
  asio::steady_timer timer{co_await asio::this_coro::executor,
                           asio::steady_timer::time_point::max()};
  static_cast<void>(co_await timer.async_wait(asio::as_tuple(asio::use_awaitable)));
}

void say_line(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

}  // namespace guide
