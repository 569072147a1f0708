// mdclient2: asks the service echo of a Majordomo broker a hundred thousand times, many at once.

#include "mdp/client.h"
#include "tools/guide/majordomo_log.h"
#include "tools/guide/program.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;

struct settings {
  std::string connect = "tcp://localhost:5555";
  // As the Guide's client, it asks three times.
  mdp::client_options client{.protocol = mdp::version::v01, .idempotent = true};
  std::size_t count = 100'000;
  std::size_t in_flight = 100;
  bool verbose = false;
};

struct work {
  work(const asio::any_io_executor& executor, const settings& is)
      : client{executor, is.connect, is.client,
               guide::client_log(is.verbose, is.connect, guide::client_socket::dealer)},
        verbose{is.verbose},
        left{is.count},
        over{executor, asio::steady_timer::time_point::max()} {}

  mdp::client client;
  bool verbose;
  std::size_t left;  // to be asked
  std::size_t lanes = 0;
  std::size_t replies = 0;
  asio::steady_timer over;
};

// One request after the other, as long as each is answered.
asio::awaitable<void> ask(work& all) {
  while (all.left != 0) {
    --all.left;
    zmtp::message body{"Hello world"};
    const auto [ec, reply] = co_await all.client.async_request("echo", std::move(body),
                                                               asio::as_tuple(asio::use_awaitable));
    if (ec) {
      if (ec != asio::error::operation_aborted && all.left != 0) {
        guide::log_unanswered(all.verbose, ec, guide::client_socket::dealer);
      }
      all.left = 0;
      break;
    }
    ++all.replies;
  }
  if (--all.lanes == 0) {
    all.over.cancel();
  }
}

asio::awaitable<int> ask_all(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  work all{executor, is};
  // Each of them may end before the next begins.
  all.lanes = std::min(is.in_flight, is.count);
  for (auto left = all.lanes; left != 0; --left) {
    asio::co_spawn(executor, ask(all), [](const std::exception_ptr& thrown) {
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    });
  }
  if (all.lanes != 0) {
    co_await all.over.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  // A signal leaves some of them waiting, which end with the client.
  if (all.lanes != 0) {
    guide::log_unanswered(is.verbose, asio::error::operation_aborted);
  }
  all.left = 0;
  all.client.stop();
  while (all.lanes != 0) {
    all.over.expires_at(asio::steady_timer::time_point::max());
    co_await asio::this_coro::reset_cancellation_state();
    co_await all.over.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  guide::say("{} replies received", all.replies);
  co_return all.replies == is.count ? guide::exit_code::done : guide::exit_code::failed;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Majordomo client of MDP/0.1 that asks `echo` many things at once"};
  line.endpoint("--connect", is.connect, "of the broker");
  line.number("--count", is.count, "of requests");
  line.number("--in-flight", is.in_flight, "of them at once");
  line.milliseconds("--timeout", is.client.timeout, "of each of three attempts");
  line.flag("-v", is.verbose, "log what is sent and received, frame by frame");
  return guide::run(line, argc, argv, ask_all, is);
}
